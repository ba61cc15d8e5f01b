import { z } from 'zod';

import type { Binding } from '../../asmx';
import { parseJson, readOperatorFile } from '../../config';
import { OperatorError } from '../../support/errors';
import { nearestName } from '../../support/text';

/**
 * Who answers: the old server; the old one, with our own answer compared; we; we, and the old one where we fail.
 */
export type Mode = 'old' | 'shadow' | 'new' | 'fallback';

/** An operation that requests may be for. */
export interface KnownOperation {
  readonly name: string;
  /** Those that it is offered over. */
  readonly bindings: readonly Binding[];
  /** Whether it does something in the world: then nobody may do it a second time. */
  readonly sends: boolean;
}

/** By operation, then by binding. */
type Modes = ReadonlyMap<string, ReadonlyMap<string, Mode>>;

const MODES: readonly Mode[] = ['old', 'shadow', 'new', 'fallback'];
const MODES_OF_SENDS: readonly Mode[] = ['old', 'new'];

const CONTENT = z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())]));

type Content = z.output<typeof CONTENT>;

/** What counts where the file says nothing. */
function usualMode({ sends }: KnownOperation): Mode {
  return sends ? 'old' : 'shadow';
}

/**
 * @param path undefined where there is no file: then every operation has its usual mode
 * @throws OperatorError where the file cannot be read, or says what cannot be
 */
function readCutOverFile(path: string | undefined, operations: readonly KnownOperation[]): Modes {
  const content = path === undefined ? {} : readContent(path);
  const wrong = (what: string): OperatorError =>
    new OperatorError(`The file ${path ?? ''} (CUTOVER_FILE) ${what}.`);
  for (const name of Object.keys(content)) {
    if (operations.some((operation) => operation.name === name)) continue;
    throw wrong(
      `names the operation ${name}, which there is not; ${nearest(
        name,
        operations.map((each) => each.name),
      )}`,
    );
  }
  return new Map(
    operations.map((operation) => [operation.name, modesOf(operation, content[operation.name] ?? {}, wrong)]),
  );
}

function readContent(path: string): Content {
  const file = readOperatorFile(path, 'CUTOVER_FILE');
  const result = CONTENT.safeParse(parseJson(file));
  if (result.success) return result.data;
  const where = result.error.issues[0]?.path.join(' > ') ?? '';
  throw new OperatorError(
    `The file ${file.name} is wrong at ${where || 'its beginning'}: an operation has a mode (${MODES.join(', ')}), or one for each binding.`,
  );
}

function modesOf(
  operation: KnownOperation,
  written: Content[string],
  wrong: (what: string) => OperatorError,
): ReadonlyMap<Binding, Mode> {
  const { name, bindings, sends } = operation;
  const readMode = (text: string): Mode => {
    const mode = MODES.find((each) => each === text);
    if (mode === undefined)
      throw wrong(`gives ${name} the mode ${text}, which there is not; ${nearest(text, MODES)}`);
    if (sends && !MODES_OF_SENDS.includes(mode)) {
      throw wrong(
        `gives ${name} the mode ${mode}, but that sends: it is ${MODES_OF_SENDS.join(' or ')}, or it might be sent twice`,
      );
    }
    return mode;
  };
  if (typeof written === 'string') {
    const mode = readMode(written);
    return new Map(bindings.map((binding) => [binding, mode]));
  }
  const unknown = Object.keys(written).find((binding) => !bindings.some((offered) => offered === binding));
  if (unknown !== undefined) {
    throw wrong(
      `names the binding ${unknown} of ${name}, which is not offered; ${nearest(unknown, bindings)}`,
    );
  }
  return new Map(
    bindings.map((binding) => {
      const text = written[binding];
      return [binding, text === undefined ? usualMode(operation) : readMode(text)];
    }),
  );
}

function nearest(name: string, names: readonly string[]): string {
  return `the nearest is ${nearestName(name, names)}`;
}

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
