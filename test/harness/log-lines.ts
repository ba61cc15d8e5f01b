import { type Logger, pino } from 'pino';

/** Returns a logger that adds its lines to a list. */
export function loggerInto(lines: Record<string, unknown>[]): Logger {
  const formatters = { level: (level: string) => ({ level }) };
  return pino(
    { formatters },
    { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
}
