import * as z from 'zod';

import type { Binding } from '../../../asmx';
import { parseJson, readOperatorFile } from '../../../config';
import { OperatorError } from '../../../support/errors';
import { didYouMean } from '../../../support/text';

/**
 * Server that answers: the old one; the old one, with our answer compared; ours; ours, with the old one as a
 * fallback.
 */
export type Mode = 'old' | 'shadow' | 'new' | 'fallback';

/** An operation that requests may call. */
export interface KnownOperation {
  readonly name: string;
  /** Bindings that offer it. */
  readonly bindings: readonly Binding[];
  /** True if it has side effects, and so must not be executed twice. */
  readonly sends: boolean;
}

/** By operation, then by binding. */
type Modes = ReadonlyMap<string, ReadonlyMap<string, Mode>>;

const MODES: readonly Mode[] = ['old', 'shadow', 'new', 'fallback'];
const MODES_OF_SENDS: readonly Mode[] = ['old', 'new'];

const CONTENT = z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())]));

type CutoverContent = z.output<typeof CONTENT>;

/**
 * @param path undefined without a file: every operation then has its default mode
 * @throws OperatorError if the file is unreadable or invalid
 */
function readCutoverFile(path: string | undefined, operations: readonly KnownOperation[]): Modes {
  const content = path === undefined ? {} : readContent(path);
  const wrong = (what: string): OperatorError => new OperatorError(`${path ?? ''} (CUTOVER_FILE): ${what}`);
  for (const name of Object.keys(content)) {
    if (operations.some((operation) => operation.name === name)) continue;
    const names = operations.map((each) => each.name);
    throw wrong(`unknown operation ${name}.${didYouMean(name, names)}`);
  }
  return new Map(
    operations.map((operation) => [
      operation.name,
      readModes(operation, content[operation.name] ?? {}, wrong),
    ]),
  );
}

function readContent(path: string): CutoverContent {
  const file = readOperatorFile(path, 'CUTOVER_FILE');
  const result = CONTENT.safeParse(parseJson(file));
  if (result.success) return result.data;
  const where = result.error.issues[0]?.path.join(' > ') ?? '';
  throw new OperatorError(
    `${file.name}, ${where || 'top level'}: expected a mode (${MODES.join(', ')}) for an operation, or one for each binding.`,
  );
}

function readModes(
  operation: KnownOperation,
  written: CutoverContent[string],
  wrong: (what: string) => OperatorError,
): ReadonlyMap<Binding, Mode> {
  const { name, bindings, sends } = operation;
  const readMode = (text: string): Mode => {
    const mode = MODES.find((each) => each === text);
    if (mode === undefined)
      throw wrong(`unknown mode ${text} for ${name}. Expected one of: ${MODES.join(', ')}.`);
    if (sends && !MODES_OF_SENDS.includes(mode)) {
      throw wrong(
        `${name} cannot have the mode ${mode}, because its messages might be sent twice. Expected ${MODES_OF_SENDS.join(' or ')}.`,
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
    throw wrong(`${name} is not offered over the binding ${unknown}.${didYouMean(unknown, bindings)}`);
  }
  return new Map(
    bindings.map((binding) => {
      const text = written[binding];
      return [binding, text === undefined ? (operation.sends ? 'old' : 'shadow') : readMode(text)];
    }),
  );
}

/** Decides which server answers which calls, from the current file. */
export class Cutover {
  readonly #path: string | undefined;
  readonly #operations: readonly KnownOperation[];
  #modes: Modes;

  /**
   * @param path path of the file; undefined for default modes
   * @throws OperatorError if the file cannot be used
   */
  constructor(path: string | undefined, operations: readonly KnownOperation[]) {
    this.#path = path;
    this.#operations = operations;
    this.#modes = readCutoverFile(path, operations);
  }

  /**
   * Reloads the file; it takes effect with the next request.
   *
   * @throws OperatorError if it cannot be used; then nothing has changed
   */
  reload(): void {
    this.#modes = readCutoverFile(this.#path, this.#operations);
  }

  /** Returns the mode of a call; the old server answers unknown ones. */
  findMode(operation: string, binding: string): Mode {
    return this.#modes.get(operation)?.get(binding) ?? 'old';
  }

  list(): readonly (Pick<KnownOperation, 'sends'> & {
    readonly operation: string;
    readonly binding: Binding;
    readonly mode: Mode;
  })[] {
    return this.#operations.flatMap(({ name, bindings, sends }) =>
      bindings.map((binding) => ({ operation: name, binding, sends, mode: this.findMode(name, binding) })),
    );
  }

  /** True if the old server answers calls only as a fallback. */
  get isAllNew(): boolean {
    const { old, shadow } = this.counts;
    return old + shadow === 0;
  }

  /** True if the old server is the fallback for some calls. */
  get hasFallback(): boolean {
    return this.counts.fallback > 0;
  }

  /** Number of pairs of operation and binding by mode, for the log. */
  get counts(): Readonly<Record<Mode, number>> {
    const counts = { old: 0, shadow: 0, new: 0, fallback: 0 };
    for (const modes of this.#modes.values()) for (const mode of modes.values()) counts[mode] += 1;
    return counts;
  }
}
