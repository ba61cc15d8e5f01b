import type {
  AttemptRecord,
  DeliveryRecord,
  ExportReport,
  FileReport,
  ImportReport,
  Problem,
} from '../store';
import { maskPhone } from '../privacy';
import { shown } from '../text';

const DELIVERY_COLUMNS = ['id', 'channel', 'state', 'to', 'created', 'attempts'];
const ATTEMPT_COLUMNS = [
  'attempt',
  'at',
  'provider',
  'outcome',
  'status',
  'ms',
  'parts',
  'id at the provider',
];
const IMPORT_COLUMNS = ['file', 'outcome', 'new', 'changed', 'unchanged', 'refused'];

/** Messages for the terminal, a line each; telephone numbers are masked. */
export function deliveryTable(messages: readonly DeliveryRecord[]): string {
  if (messages.length === 0) return 'There are none.';
  const rows = messages.map(({ id, channel, state, recipient, createdAt, attempts, reason }) => [
    ...[id, channel, state, shownRecipient(channel, recipient), time(createdAt), String(attempts)],
    ...(reason === null ? [] : [reason]),
  ]);
  return textTable([...DELIVERY_COLUMNS, 'reason'], rows, DELIVERY_COLUMNS.length + 1);
}

/**
 * Everything about one message, a line for each fact, and then each attempt to deliver it; callers choose some of the
 * texts.
 */
export function deliveryDetails(message: DeliveryRecord, attempts: readonly AttemptRecord[]): string {
  const facts: Readonly<Record<string, string | number | null>> = {
    id: message.id,
    channel: message.channel,
    state: message.state,
    to: shownRecipient(message.channel, message.recipient),
    school: message.school,
    caller: message.caller,
    attempts: message.attempts,
    created: time(message.createdAt),
    changed: time(message.updatedAt),
    'next attempt': message.state === 'queued' ? time(message.nextAttemptAt) : null,
    expires: time(message.expiresAt),
    'id at the provider': message.providerId,
    reason: message.reason,
  };
  const lines = Object.entries(facts)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name.padEnd(18)}  ${shown(String(value))}`)
    .join('\n');
  return [lines, ...(attempts.length === 0 ? [] : [attemptTable(attempts)])].join('\n\n');
}

function attemptTable(attempts: readonly AttemptRecord[]): string {
  const rows = attempts.map(
    ({ number, at, provider, outcome, status, milliseconds, parts, providerId, reason }) => [
      ...[String(number), time(at), provider ?? 'none asked', outcome],
      ...[status, milliseconds, parts, providerId, reason].map((value) =>
        value === null ? '' : String(value),
      ),
    ],
  );
  return textTable([...ATTEMPT_COLUMNS, 'reason'], rows, ATTEMPT_COLUMNS.length + 1);
}

function shownRecipient(channel: DeliveryRecord['channel'], recipient: string): string {
  return channel === 'sms' ? maskPhone(recipient) : recipient;
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** What an import did, file by file, and what is wrong with the files, for the terminal. */
export function importSummary(report: ImportReport, { dryRun }: { readonly dryRun: boolean }): string {
  const more = report.problemCount - report.problems.length;
  return [
    textTable(IMPORT_COLUMNS, report.files.map(cells)),
    ...report.unknownFiles.map(
      (name) => `${shown(name)}: left out, it is none of the files that an import reads`,
    ),
    ...report.problems.map(problemLine),
    ...(more > 0 ? [`and ${more.toLocaleString('en')} more`] : []),
    ...(dryRun ? ['Dry run: nothing was written.'] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function cells({ file, outcome, newRows, changedRows, unchangedRows, refusedRows }: FileReport): string[] {
  const counts = [newRows, changedRows, unchangedRows, refusedRows];
  return [file, outcome, ...counts.map((count) => count.toLocaleString('en'))];
}

function problemLine({ file, line, column, reason }: Problem): string {
  return shown(`${file}, line ${String(line)}${column && `, ${column}`}: ${reason}`);
}

/** What an export wrote, file by file, for the terminal. */
export function exportSummary({ files }: ExportReport): string {
  return textTable(
    ['file', 'outcome', 'rows'],
    files.map(({ file, rows }) => [file, 'written', rows.toLocaleString('en')]),
  );
}

/** Columns of equal width, the first ones (two unless given) to the left and the others, which are numbers, to the right. */
function textTable(header: readonly string[], rows: readonly (readonly string[])[], leftColumns = 2): string {
  const lines = [header, ...rows.map((cells) => cells.map(shown))];
  const widths = header.map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, at) => (at < leftColumns ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
