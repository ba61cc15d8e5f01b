import { readFileSync } from 'node:fs';

import { type Command, InvalidArgumentError, Option } from 'commander';

import { type Header, type SideOptions, TRAFFIC_KINDS, type TrafficKind } from '../migration';
import { errorWord, OperatorError } from '../support/errors';
import type { Host } from './run-command';

/** What the command line says, as commander has it. */
export interface CompareCommandOptions {
  readonly old: URL;
  readonly new?: URL;
  readonly traffic: readonly string[];
  readonly trafficKind?: TrafficKind;
  readonly trafficHost: readonly string[];
  readonly probe?: boolean;
  readonly values?: string;
  readonly valuesTemplate?: boolean;
  readonly path: readonly string[];
  readonly sendsToOld?: boolean;
  readonly sendsToNew?: boolean;
  readonly oldHeader: readonly Header[];
  readonly newHeader: readonly Header[];
  readonly ca?: string;
  readonly ignoreHeader: readonly string[];
  readonly compareHeader: readonly string[];
  readonly concurrency: number;
  readonly rate?: number;
  readonly count?: number;
  readonly time?: number;
  readonly timeout: number;
  readonly answerMegabytes: number;
  readonly shadow?: boolean;
  readonly json?: boolean;
  readonly html?: string;
  readonly junit?: string;
}

const MEGABYTE = 1024 * 1024;
/** Variables whose lines are headers: what stands there is in no list of processes. */
const HEADER_VARIABLES = { old: 'COMPARE_OLD_HEADERS', ours: 'COMPARE_NEW_HEADERS' } as const;

/** Adds the options. */
export function withOptions(command: Command, paths: readonly string[]): Command {
  return command
    .option('--old <url>', 'the old server', serverUrl)
    .option('--new <url>', 'the new one', serverUrl)
    .option('--traffic <file...>', 'recorded requests; gzip is unpacked', collected, [])
    .addOption(
      new Option('--traffic-kind <kind>', 'of the files (default: what each begins like)').choices(
        TRAFFIC_KINDS,
      ),
    )
    .option(
      '--traffic-host <host...>',
      'whose requests of a HAR are taken (default: that of --old)',
      collected,
      [],
    )
    .option('--probe', "also sends requests made from the old server's descriptions")
    .option('--values <file>', 'JSON with the values that --probe calls operations with')
    .option('--values-template', 'prints such a file to fill in, and compares nothing')
    .option('--path <path...>', `endpoints for --probe (default: ${paths.join(' ')})`, collected, [])
    .option('--sends-to-old', 'requests that send also go to the old server: people get messages')
    .option('--sends-to-new', 'likewise to the new one')
    .option(
      '--old-header <header...>',
      `sent to the old server; also the lines of ${HEADER_VARIABLES.old}`,
      header,
      [],
    )
    .option(
      '--new-header <header...>',
      `sent to the new one; also the lines of ${HEADER_VARIABLES.ours}`,
      header,
      [],
    )
    .option('--ca <file>', 'certificates (PEM) of who signs those of the servers')
    .option('--ignore-header <name...>', 'a header of answers that does not count', collected, [])
    .option('--compare-header <name...>', 'a header of answers that counts, too', collected, [])
    .option('--concurrency <number>', 'requests under way at once', whole, 4)
    .option('--rate <number>', 'most requests begun in a second', positive)
    .option('--count <number>', 'most requests sent to each server', whole)
    .option('--time <seconds>', 'after which it ends', positive)
    .option('--timeout <seconds>', 'longest time for an answer', positive, 30)
    .option('--answer-megabytes <number>', 'longest answer', positive, 16)
    .option(
      '--shadow',
      'reports what the service has compared, standing in front of the old server, and sends nothing',
    )
    .addOption(new Option('--json', 'prints the report as JSON'))
    .option('--html <file>', 'writes the report as one page, too')
    .option('--junit <file>', 'writes it for build servers, too');
}

/** How the two servers are asked. */
export function sidesOf(
  options: CompareCommandOptions,
  { env }: Host,
): { readonly old: SideOptions; readonly ours: SideOptions | undefined } {
  const { oldHeader, newHeader, ca, timeout, answerMegabytes, concurrency } = options;
  const common = {
    ca: ca === undefined ? undefined : readText(ca),
    milliseconds: timeout * 1000,
    bytes: Math.round(answerMegabytes * MEGABYTE),
    connections: concurrency,
  };
  const side = (url: URL, headers: readonly Header[], variable: string): SideOptions => ({
    ...common,
    url,
    headers: [...headersOf(env[variable] ?? '', variable), ...headers],
  });
  return {
    old: side(options.old, oldHeader, HEADER_VARIABLES.old),
    ours: options.new && side(options.new, newHeader, HEADER_VARIABLES.ours),
  };
}

/** @throws OperatorError where it cannot be read */
export function readText(file: string): string {
  try {
    return new TextDecoder().decode(readFileSync(file)); // Without the byte order mark of Windows' editors.
  } catch (error) {
    throw new OperatorError(`The file ${file} cannot be read (${errorWord(error)}).`);
  }
}

function headersOf(lines: string, variable: string): readonly Header[] {
  return lines
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const found = headerOf(line);
      if (found === undefined)
        throw new OperatorError(`A line of ${variable} is no header such as "Name: value".`);
      return found;
    });
}

function headerOf(text: string): Header | undefined {
  const end = text.indexOf(':');
  const [name, value] = [text.slice(0, Math.max(0, end)).trim(), text.slice(end + 1).trim()];
  const isHeader = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t -~\u0080-\u00ff]*$/.test(value);
  return isHeader ? [name, value] : undefined;
}

function header(text: string, before: readonly Header[]): readonly Header[] {
  const found = headerOf(text);
  if (found === undefined) throw new InvalidArgumentError('It is a name and a value: "Name: value".');
  return [...before, found];
}

function collected(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

function serverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.search + url.hash !== '')
    throw new InvalidArgumentError('It is an address such as https://old.example:8443/.');
  if (url.username + url.password !== '')
    throw new InvalidArgumentError('It has no credentials: those are a header of their own.');
  return url;
}

function whole(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It is a whole number above 0.');
  return Number(text);
}

function positive(text: string): number {
  const number = Number(text);
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(text) || number === 0)
    throw new InvalidArgumentError('It is a number above 0.');
  return number;
}
