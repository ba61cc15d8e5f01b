import { readFileSync } from 'node:fs';

import { OperatorError } from '../errors';

/** A file that a setting names. */
export interface OperatorFile {
  /** For error texts: the path, and the setting that names it. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** @throws OperatorError where it cannot be read */
export function readOperatorFile(path: string, setting: string): OperatorFile {
  const name = `${path} (${setting})`;
  try {
    return { name, path, text: readFileSync(path, 'utf8') };
  } catch (cause) {
    throw new OperatorError(`The file ${name} cannot be read. ${String(cause)}`, { cause });
  }
}

/** @throws OperatorError where it is not JSON; it shows nothing of the file's contents */
export function parseJson({ name, text }: OperatorFile): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's own words show a piece of the file.
    const position = /position (\d+)/.exec(String(error))?.[1];
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
    throw new OperatorError(
      `The file ${name} is not JSON${line === undefined ? '' : ` at line ${String(line)}`}.`,
    );
  }
}
