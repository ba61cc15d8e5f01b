import { MOST_PROBLEMS, type Problem } from './import-report';

/** The problems of one file: all are counted, the first lines' are kept. */
export class ProblemList {
  readonly #kept: Problem[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** By line. */
  get first(): readonly Problem[] {
    return this.#kept.toSorted((a, b) => a.line - b.line).slice(0, MOST_PROBLEMS);
  }

  /** Takes problems in the order of their lines; `count` where there are more than those given. */
  add(problems: readonly Problem[], count = problems.length): void {
    this.#count += count;
    this.#kept.push(...problems.slice(0, MOST_PROBLEMS));
    if (this.#kept.length > 2 * MOST_PROBLEMS) this.#kept.splice(0, Infinity, ...this.first);
  }
}
