// A list of numbers that is filled anew for every frame, without new memory once it is large enough.

export class NumberList {
  private all = new Float64Array(1024);
  private length = 0;

  clear(): void {
    this.length = 0;
  }

  push2(a: number, b: number): void {
    this.reserve(2);
    this.all[this.length++] = a;
    this.all[this.length++] = b;
  }

  push4(a: number, b: number, c: number, d: number): void {
    this.push2(a, b);
    this.push2(c, d);
  }

  /** What was pushed, until the list is changed. */
  get values(): Float64Array {
    return this.all.subarray(0, this.length);
  }

  private reserve(more: number): void {
    if (this.length + more <= this.all.length) return;
    const larger = new Float64Array(2 * this.all.length);
    larger.set(this.all);
    this.all = larger;
  }
}
