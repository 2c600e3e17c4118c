// Bundles the page into one file, dist/report.html, which the program fills with data.
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

const kData = "<!--syncline:data-->";

// Puts the script and the style into the page itself, and the notice that the license of uPlot asks
// for. The script goes to the end, after the data.
function inOneFile(): Plugin {
  return {
    name: "in-one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = Object.values(bundle).find((part) => part.fileName === "index.html");
      if (page?.type !== "asset") throw new Error("no page was built");
      let html = String(page.source);
      for (const [name, part] of Object.entries(bundle)) {
        if (name === "index.html") continue;
        const text = part.type === "chunk" ? part.code : String(part.source);
        const element = part.type === "chunk"
          ? `<script type="module">${text.replaceAll("</script", "<\\/script")}</script>`
          : `<style>${text}</style>`;
        html = part.type === "chunk"
          ? html.replace("</body>", () => `${element}\n</body>`)
          : html.replace("</head>", () => `${element}\n</head>`);
        Reflect.deleteProperty(bundle, name);
      }
      html = html.replace(/\s*<script type="module"[^>]*src=[^>]*><\/script>/, "")
        .replace(/\s*<link rel="stylesheet"[^>]*>/, "");
      const license = readFileSync(new URL("node_modules/uplot/LICENSE", import.meta.url), "utf8").trim();
      html = html.replace("</head>", () => `<!-- Holds uPlot.\n${license}\n-->\n</head>`);
      if (!html.includes(kData)) throw new Error("the page has no place for data");
      page.source = html;
      page.fileName = "report.html";
    },
  };
}

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 1 << 20,
    emptyOutDir: true,
  },
  plugins: [inOneFile()],
});
