import { readFileSync } from 'node:fs';

import { errorMessage, type Finding, systemErrorCode } from '../support/errors';
import { didYouMean } from '../support/text';

export interface EnvEntry {
  readonly value: string;
  /** Line number, from 1. */
  readonly line: number;
  /** Reason why the value cannot be used; undefined for a valid line. Completes the setting's name. */
  readonly problem: string | undefined;
}

/** A parsed file of `NAME=value` lines. */
export interface EnvFile {
  readonly path: string;
  /** Settings of the file; the last one if a name is repeated. */
  readonly entries: ReadonlyMap<string, EnvEntry>;
  /** Further problems; they never show a value or a line. */
  readonly findings: readonly Finding[];
}

/**
 * Matches one assignment. A quoted value may span several lines; `rest` is the text after it, or the whole
 * unquoted value.
 */
const ASSIGNMENT =
  /[ \t]*(?:export[ \t]+)?(?<name>[A-Za-z_][\w.-]*)[ \t]*=(?<gap>[ \t]*)(?![ \t])(?<quoted>"[^"]*"|'[^']*'|`[^`]*`)?(?<rest>.*)(?:\n|$)/y;
const OTHER_LINE = /.*(?:\n|$)/y;
const NOTHING_OR_COMMENT = /^[ \t]*(?:#.*)?$/;

const ENCLOSE = 'enclose the whole value in quotes that it does not contain: \', " or `';

/**
 * Reads a file of settings; a missing file counts as empty. Each line yields either its value or a problem:
 * text that common readers of such files silently drop never takes effect. Node's `parseEnv` and dotenv cut a
 * value at an inner quote or `#`, and know no line numbers.
 *
 * @param names - the known settings; other names are ignored, as they may belong to other programs
 * @param mustExist - reports a missing file as an error
 */
export function readEnvFile(path: string, names: readonly string[], mustExist = false): EnvFile {
  const unreadable = (why: string): EnvFile => ({
    path,
    entries: new Map(),
    findings: [{ level: 'fatal', message: `Cannot read the settings file ${path}. ${why}` }],
  });
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (!mustExist && systemErrorCode(error) === 'ENOENT') return { path, entries: new Map(), findings: [] };
    return unreadable(errorMessage(error));
  }
  try {
    return parseEnv(path, new TextDecoder('utf-8', { fatal: true }).decode(bytes), names);
  } catch {
    return unreadable('It is not UTF-8. Save it as UTF-8.');
  }
}

function parseEnv(path: string, content: string, names: readonly string[]): EnvFile {
  const text = content.replace(/\r\n?/g, '\n');
  const entries = new Map<string, EnvEntry>();
  const findings: Finding[] = [];
  let line = 1;
  for (let at = 0; at < text.length;) {
    const place = `${path}, line ${String(line)}`;
    const assignment = matchAt(ASSIGNMENT, text, at);
    const whole = (assignment ?? matchAt(OTHER_LINE, text, at))?.[0] ?? '';
    if (assignment !== undefined) {
      const { name = '' } = assignment.groups ?? {};
      if (names.includes(name)) {
        const earlier = entries.get(name);
        if (earlier !== undefined) {
          const lines = `lines ${String(earlier.line)} and ${String(line)}`;
          const message = `${name} is set twice in ${path} (${lines}); the last one is used`;
          findings.push({ level: 'warn', message });
        }
        entries.set(name, { ...readValue(assignment, names), line });
      } else findings.push({ level: 'warn', message: `${place}: ${unknownName(name, names)}` });
    } else if (!NOTHING_OR_COMMENT.test(whole.trimEnd())) {
      findings.push({
        level: 'fatal',
        message: `${place}: expected NAME=value or a # comment. If the line is part of a longer value, ${ENCLOSE}.`,
      });
    }
    at += whole.length;
    line += whole.split('\n').length - 1;
  }
  return { path, entries, findings };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

function readValue({ groups = {} }: RegExpExecArray, names: readonly string[]): Omit<EnvEntry, 'line'> {
  const { gap = '', quoted, rest = '' } = groups;
  if (quoted === undefined) return unquotedValue(gap, rest);
  const between = quoted.slice(1, -1);
  const value = quoted.startsWith('"') ? between.replaceAll(String.raw`\n`, '\n') : between;
  if (!/^[ \t]*$|^[ \t]+#/.test(rest)) {
    return { value, problem: `has text after its closing quote: ${ENCLOSE}` };
  }
  const swallowed = between
    .split('\n')
    .slice(1)
    .map((line) => /^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=/.exec(line)?.[1] ?? '')
    .find((name) => names.includes(name));
  return {
    value,
    problem: swallowed && `has a quote that is not closed before ${swallowed}: close it, or ${ENCLOSE}`,
  };
}

/** Strips a comment, which begins with a `#` after a blank. */
function unquotedValue(gap: string, rest: string): Omit<EnvEntry, 'line'> {
  if (/^["'`]/.test(rest)) {
    return { value: rest, problem: `begins with a quote that is not closed: close it, or ${ENCLOSE}` };
  }
  const hash = rest.indexOf('#');
  const isComment = hash === 0 ? gap !== '' : /[ \t]/.test(rest.charAt(hash - 1));
  const value = (hash === -1 ? rest : rest.slice(0, hash)).trimEnd();
  if (hash === -1 || isComment) return { value, problem: undefined };
  return {
    value,
    problem: 'contains a #: put a space before it if it begins a comment, otherwise ' + ENCLOSE,
  };
}

/**
 * Describes an unknown setting; a name that does not look like one may be part of a value and is not shown.
 */
function unknownName(name: string, names: readonly string[]): string {
  const isShowable =
    /^[A-Z][A-Z0-9_]{0,63}$/.test(name) || names.some((known) => known.toLowerCase() === name.toLowerCase());
  return `unknown setting${isShowable ? ` ${name}` : ''}; ignored.${didYouMean(name, names)}`;
}
