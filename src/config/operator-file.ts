import { readFileSync } from 'node:fs';

import { findNodeAtLocation, parse, type ParseError, parseTree, visit } from 'jsonc-parser';
import * as z from 'zod';

import { OperatorError } from '../support/errors';

export interface OperatorFile {
  /** Name for errors: the path, and the setting that names it. */
  readonly name: string;
  readonly path: string;
  /** Contents without the byte order mark that editors on Windows write. */
  readonly text: string;
}

/** @throws OperatorError if it cannot be read */
export function readOperatorFile(path: string, setting: string): OperatorFile {
  const name = `${path} (${setting})`;
  try {
    return { name, path, text: new TextDecoder().decode(readFileSync(path)) };
  } catch (cause) {
    throw new OperatorError(`Cannot read ${name}. ${String(cause)}`, { cause });
  }
}

/**
 * Maximum depth of a JSON file; real ones have ten levels. Parsers and schemas call themselves for each
 * level.
 */
const MAX_DEPTH = 100;

/** Returns the offset at which a JSON text exceeds the maximum depth; undefined if it does not. */
function tooDeepAt(text: string): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (isInString) {
      if (character === '\\') at += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > MAX_DEPTH) return at;
    }
  }
  return undefined;
}

/** @throws OperatorError for invalid JSON; it shows nothing of the file's contents */
export function parseJson({ name, text }: OperatorFile): unknown {
  const undecodable = text.indexOf('\u{fffd}');
  if (undecodable >= 0) {
    throw new OperatorError(`${name} is not UTF-8${placeAt(text, undecodable)}. Save it as UTF-8.`);
  }
  const tooDeep = tooDeepAt(text);
  if (tooDeep !== undefined)
    throw new OperatorError(`${name} is nested too deeply${placeAt(text, tooDeep)}.`);
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own message quotes the file, and often has no position.
    throw new OperatorError(`${name} is not valid JSON${placeAt(text, firstError(text))}.`);
  }
}

/** @throws OperatorError for an object with two fields of one name: only the last one would count */
export function refuseRepeatedNames({ name, text }: OperatorFile): void {
  const open: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (field, offset) => {
      const names = open.at(-1);
      if (names?.has(field) === true)
        throw new OperatorError(`${name} has "${field}" twice in one object${placeAt(text, offset)}.`);
      names?.add(field);
    },
  });
}

/**
 * Parses a JSON file by its schema.
 *
 * @throws OperatorError that names the file and the field, and shows nothing of the content but names
 */
export function parseChecked<T extends z.ZodType>(file: OperatorFile, schema: T): z.output<T> {
  const result = schema.safeParse(parseJson(file));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue?.path.join(' > ') ?? '';
  throw new OperatorError(`${file.name}, ${where || 'top level'}: ${issueText(issue)}.`);
}

/** Returns what the schema says of an issue; of a name that it refuses, what is wrong with the name. */
export function issueText(issue: z.core.$ZodIssue | undefined): string {
  return (issue?.code === 'invalid_key' ? issue.issues[0] : issue)?.message ?? '';
}

/**
 * Returns line and column of a field in a JSON file, or of its nearest existing parent, to append to a text.
 */
export function placeInJson({ text }: OperatorFile, path: readonly PropertyKey[]): string {
  const tree = parseTree(text);
  if (tree === undefined) return '';
  const steps = path.map((step) => (typeof step === 'number' ? step : String(step)));
  for (let length = steps.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, steps.slice(0, length));
    if (node !== undefined) return placeAt(text, node.offset);
  }
  return placeAt(text, tree.offset);
}

/** Returns the offset of the first syntax error in an invalid JSON text. */
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

/** The name of a caller or receiver. */
export const entryName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'is not a valid name (a to z, A to Z, digits, . _ -)');
