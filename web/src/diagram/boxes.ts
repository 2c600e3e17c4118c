// Regions as boxes around the line of their process: outer ones reach further up. Those too short to
// be told apart become one pale box over the time they take.

import type { Theme } from "../theme";
import type { Frame } from "./frame";
import { NumberList } from "./numbers";
import { visitRegions, type Level } from "./regions";

export const kTints = ["tinta", "tintb", "tintc", "tintd", "tinte"] as const;

/** The colors of regions, by number of their names; others are pale. */
export type Tints = ReadonlyMap<number, keyof Theme>;

interface Shape { up: number; down: number; step: number; levels: number }

// Where rows are high, there is room for the name of each level.
function shapeOf(rowHeight: number): Shape {
  const up = rowHeight * 0.4;
  const step = rowHeight >= 44 ? 13 : rowHeight >= 34 ? 4 : 2.5;
  return { up, down: rowHeight * 0.28, step, levels: Math.max(1, Math.floor((up - 3) / step)) };
}

// By color; kept from frame to frame.
const boxes = new Map<keyof Theme, NumberList>();

/** `regions`: by lane. Rows of several processes show none. */
export function drawRegions(frame: Frame, regions: readonly (readonly Level[])[], tints: Tints): void {
  const { scene, surface, theme, layout } = frame;
  const shape = shapeOf(layout.rowHeight);
  const labels: Label[] = [];
  // Level by level, because inner boxes lie on outer ones.
  for (let depth = 0; depth < shape.levels; ++depth) {
    for (const list of boxes.values()) list.clear();
    scene.rows.forEach((row, place) => {
      const level = row.lanes.length === 1 ? regions[row.lanes[0]].at(depth) : undefined;
      if (level !== undefined) addLevel(frame, row.lanes[0], level, { place, depth, shape }, tints, labels);
    });
    for (const [color, list] of boxes) surface.rectangles(list.values, theme[color], color === "band" ? 0.7 : 1);
  }
  for (const label of labels) surface.text(label.text, label, theme.text);
}

interface Label { text: string; x: number; y: number }

function addLevel(frame: Frame, number: number, level: Level, at: { place: number; depth: number; shape: Shape }, tints: Tints,
  labels: Label[]): void {
  const { scene, trace, layout } = frame;
  const { shape, depth } = at;
  const lane = trace.lanes[number];
  // Where density hides most of them, only long ones are worth their time.
  const least = (scene.areEventsDrawn ? 2 : 12) * frame.pixel;
  if (!scene.areEventsDrawn && level.longest < least) return;
  const top = frame.y(at.place) - shape.up + depth * shape.step;
  const height = shape.up - depth * shape.step + Math.max(2, shape.down - 1.5 * depth);
  visitRegions(lane, level, scene.view.from, scene.view.to, scene.share, least, (region, from, to) => {
    if (region < 0 && !scene.areEventsDrawn) return;
    const left = Math.max(frame.x(from), layout.gutter);
    const right = Math.min(frame.x(to), layout.width);
    if (right <= left) return;
    const name = region < 0 ? 0 : lane.nameOf[level.enter[region]] ?? 0;
    const color = tints.get(name) ?? "band";
    let list = boxes.get(color);
    if (list === undefined) boxes.set(color, list = new NumberList());
    // A gap of half a pixel tells neighbours apart.
    list.push4(left, top, Math.max(0.5, right - left - 0.5), height);
    const text = trace.meta.names[name] ?? "";
    if (!scene.areEventsDrawn || shape.step < 13 || text === "" || right - left < 6.8 * text.length + 10) return;
    labels.push({ text, x: left + 5, y: top + 7 });
  });
}
