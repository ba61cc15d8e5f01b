import { type KnownOperation, type Mode, type Modes, readCutOverFile } from './cut-over-file';

/** Who answers which calls, as the file says at the moment. */
export class CutOver {
  readonly #path: string | undefined;
  readonly #operations: readonly KnownOperation[];
  #modes: Modes;
  #isAllNew: boolean;

  /**
   * @param path of the file; undefined where every operation has its usual mode
   * @throws OperatorError when the file cannot be used
   */
  constructor(path: string | undefined, operations: readonly KnownOperation[]) {
    this.#path = path;
    this.#operations = operations;
    this.#modes = readCutOverFile(path, operations);
    this.#isAllNew = isAllNew(this.#modes);
  }

  /**
   * Reads the file again; what it says counts from the next request on.
   *
   * @throws OperatorError when it cannot be used; then nothing has changed
   */
  reload(): void {
    this.#modes = readCutOverFile(this.#path, this.#operations);
    this.#isAllNew = isAllNew(this.#modes);
  }

  /** What nobody knows is the old server's. */
  modeOf(operation: string, binding: string): Mode {
    return this.#modes.get(operation)?.get(binding) ?? 'old';
  }

  /** Whether the old server answers no call any more, unless for us. */
  get isAllNew(): boolean {
    return this.#isAllNew;
  }

  /** Whether the old server answers some calls in our stead when we fail. */
  get hasFallback(): boolean {
    return this.counts.fallback > 0;
  }

  /** How many pairs of operation and binding have which mode, for the log. */
  get counts(): Readonly<Record<Mode, number>> {
    const counts = { old: 0, shadow: 0, new: 0, fallback: 0 };
    for (const modes of this.#modes.values()) for (const mode of modes.values()) counts[mode] += 1;
    return counts;
  }
}

function isAllNew(modes: Modes): boolean {
  return [...modes.values()].every((ofOperation) =>
    [...ofOperation.values()].every((mode) => mode === 'new' || mode === 'fallback'),
  );
}
