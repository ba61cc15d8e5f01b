import { readFileSync } from 'node:fs';

import { type ParseError, parse } from 'jsonc-parser';

import { OperatorError } from '../support/errors';

/** A file that a setting names. */
export interface OperatorFile {
  /** For error texts: the path, and the setting that names it. */
  readonly name: string;
  readonly path: string;
  /** Without the byte order mark that editors on Windows write. */
  readonly text: string;
}

/** @throws OperatorError where it cannot be read */
export function readOperatorFile(path: string, setting: string): OperatorFile {
  const name = `${path} (${setting})`;
  try {
    return { name, path, text: new TextDecoder().decode(readFileSync(path)) };
  } catch (cause) {
    throw new OperatorError(`The file ${name} cannot be read. ${String(cause)}`, { cause });
  }
}

/** @throws OperatorError where it is not JSON; it shows nothing of the file's contents */
export function parseJson({ name, text }: OperatorFile): unknown {
  const undecodable = text.indexOf('\u{fffd}');
  if (undecodable >= 0) {
    throw new OperatorError(`The file ${name} is not UTF-8${placeAt(text, undecodable)}: save it as UTF-8.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own message shows a piece of the file, and often says no place.
    throw new OperatorError(`The file ${name} is not JSON${placeAt(text, firstError(text))}.`);
  }
}

/** Returns the offset of the first syntax error in a text that is not JSON. */
function firstError(text: string): number | undefined {
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  return errors[0]?.offset;
}

function placeAt(text: string, offset: number | undefined): string {
  if (offset === undefined) return '';
  const lines = text.slice(0, offset).split(/\r\n|[\r\n]/);
  const column = (lines.at(-1)?.length ?? 0) + 1;
  return ` at line ${String(lines.length)}, column ${String(column)}`;
}
