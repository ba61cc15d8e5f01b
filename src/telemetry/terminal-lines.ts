import { shown, shownJson } from '../support/text';

const LEVEL_WIDTH = 'error'.length;
/** Fields of every line that a person at a terminal does not need. */
const UNSHOWN = new Set(['level', 'time', 'pid', 'msg', 'err']);

/** Returns log lines of JSON as a person at a terminal reads them; others unchanged. */
export function terminalLines(lines: string): string {
  return lines.replaceAll(/^\{.*\}$/gm, (line) => {
    try {
      return terminalLine(JSON.parse(line) as Readonly<Record<string, unknown>>); // It is in braces.
    } catch {
      return line;
    }
  });
}

function terminalLine(entry: Readonly<Record<string, unknown>>): string {
  const { level, time, msg, err } = entry;
  const clock = new Date(String(time)).toTimeString().slice(0, 'HH:MM:SS'.length);
  const fields = Object.entries(entry)
    .filter(([name]) => !UNSHOWN.has(name))
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? shown(value) : shownJson(value)}`);
  const stack: unknown = typeof err === 'object' && err !== null ? Reflect.get(err, 'stack') : undefined;
  const error = typeof stack === 'string' ? stack.split('\n').map((each) => `\n${shown(each)}`) : [];
  const message = shown(typeof msg === 'string' ? msg : '');
  return `${clock} ${String(level).padEnd(LEVEL_WIDTH)} ${message}${[...fields, ...error].join('')}`;
}
