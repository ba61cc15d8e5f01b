/** Values by one to three labels. Finding one makes no key of them, which would be a new text for each request. */
export class ByLabels<Value> {
  readonly #values = new Map<string, Map<string, Map<string, Value>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(first: string, second = '', third = ''): Value | undefined {
    return this.#values.get(first)?.get(second)?.get(third);
  }

  /** @param value - for labels that have none yet */
  set(value: Value, first: string, second = '', third = ''): void {
    const ofFirst = this.#values.get(first) ?? new Map<string, Map<string, Value>>();
    const ofSecond = ofFirst.get(second) ?? new Map<string, Value>();
    this.#values.set(first, ofFirst.set(second, ofSecond.set(third, value)));
    this.#size += 1;
  }

  values(): readonly Value[] {
    return [...this.#values.values()].flatMap((seconds) =>
      [...seconds.values()].flatMap((thirds) => [...thirds.values()]),
    );
  }
}
