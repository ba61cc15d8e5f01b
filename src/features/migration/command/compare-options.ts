import { readFileSync } from 'node:fs';

import { type Command, InvalidArgumentError, Option } from 'commander';

import type { TargetOptions } from '../comparing/target';
import type { Header } from '../messages';
import { TRAFFIC_KINDS, type TrafficKind } from '../traffic/traffic';
import { errorWord, OperatorError } from '../../../support/errors';
import type { Host } from '../../../cli/run-command';

export interface CompareCommandOptions {
  readonly old: URL;
  readonly new?: URL;
  readonly traffic?: readonly string[];
  readonly trafficKind?: TrafficKind;
  readonly probe?: boolean;
  readonly values?: string;
  readonly valuesTemplate?: boolean;
  readonly path?: readonly string[];
  readonly sendsToOld?: boolean;
  readonly sendsToNew?: boolean;
  readonly oldHeader?: readonly Header[];
  readonly newHeader?: readonly Header[];
  readonly ca?: string;
  readonly ignoreHeader?: readonly string[];
  readonly compareHeader?: readonly string[];
  readonly concurrency: number;
  readonly rate?: number;
  readonly count?: number;
  readonly time?: number;
  readonly timeout: number;
  readonly answerMegabytes: number;
  readonly shadow?: boolean;
  readonly json?: boolean;
  readonly html?: string;
}

const MEGABYTE = 1024 * 1024;
/** Variables with one header per line: unlike arguments, they do not appear in process lists. */
const HEADER_VARIABLES = { old: 'COMPARE_OLD_HEADERS', ours: 'COMPARE_NEW_HEADERS' } as const;

export function withOptions(command: Command, paths: readonly string[]): Command {
  return command
    .option('--old <url>', 'URL of the old server', serverUrl)
    .option('--new <url>', 'URL of the new server', serverUrl)
    .option('--traffic <file...>', 'files with recorded requests, optionally gzipped', collected)
    .addOption(
      new Option('--traffic-kind <kind>', 'format of the files (default: detected)').choices(TRAFFIC_KINDS),
    )
    .option('--probe', "also send requests generated from the old server's WSDL")
    .option('--values <file>', 'JSON file with parameter values for --probe')
    .option('--values-template', 'print a template for --values, and compare nothing')
    .option('--path <path...>', `endpoints for --probe (default: ${paths.join(' ')})`, collected)
    .option(
      '--sends-to-old',
      'also send requests that trigger messages to the old server: people receive them',
    )
    .option('--sends-to-new', 'also send requests that trigger messages to the new server')
    .option(
      '--old-header <header...>',
      `headers for the old server, in addition to the lines of ${HEADER_VARIABLES.old}`,
      header,
    )
    .option(
      '--new-header <header...>',
      `headers for the new server, in addition to the lines of ${HEADER_VARIABLES.ours}`,
      header,
    )
    .option('--ca <file>', 'PEM file with the CA certificates of the servers')
    .option('--ignore-header <name...>', 'response headers to ignore', collected)
    .option('--compare-header <name...>', 'additional response headers to compare', collected)
    .option('--concurrency <number>', 'concurrent requests', whole, 4)
    .option('--rate <number>', 'maximum requests per second', positive)
    .option('--count <number>', 'maximum requests to each server', whole)
    .option('--time <seconds>', 'stop after this time', positive)
    .option('--timeout <seconds>', 'response timeout', positive, 30)
    .option('--answer-megabytes <number>', 'maximum response size', positive, 16)
    .option('--shadow', 'report what the service has compared as a reverse proxy, and send nothing')
    .addOption(new Option('--json', 'print the report as JSON'))
    .option('--html <file>', 'also write the report as an HTML page');
}

/** Returns the options for requests to the two servers. */
export function readTargets(
  options: CompareCommandOptions,
  { env }: Host,
): { readonly old: TargetOptions; readonly ours: TargetOptions | undefined } {
  const { oldHeader = [], newHeader = [], ca, timeout, answerMegabytes, concurrency } = options;
  const common = {
    ca: ca === undefined ? undefined : readText(ca),
    milliseconds: timeout * 1000,
    bytes: Math.round(answerMegabytes * MEGABYTE),
    connections: concurrency,
  };
  const target = (url: URL, headers: readonly Header[], variable: string): TargetOptions => ({
    ...common,
    url,
    headers: [...parseHeaders(env[variable] ?? '', variable), ...headers],
  });
  return {
    old: target(options.old, oldHeader, HEADER_VARIABLES.old),
    ours: options.new && target(options.new, newHeader, HEADER_VARIABLES.ours),
  };
}

/** @throws OperatorError if it cannot be read */
export function readText(file: string): string {
  try {
    return new TextDecoder().decode(readFileSync(file)); // Without the byte order mark of Windows' editors.
  } catch (error) {
    throw new OperatorError(`Cannot read ${file} (${errorWord(error)}).`);
  }
}

function parseHeaders(lines: string, variable: string): readonly Header[] {
  return lines
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const found = parseHeader(line);
      if (found === undefined)
        throw new OperatorError(`${variable} has a line that is not a header. Expected "Name: value".`);
      return found;
    });
}

function parseHeader(text: string): Header | undefined {
  const end = text.indexOf(':');
  const [name, value] = [text.slice(0, Math.max(0, end)).trim(), text.slice(end + 1).trim()];
  const isHeader = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t -~\u0080-\u00ff]*$/.test(value);
  return isHeader ? [name, value] : undefined;
}

function header(text: string, before: readonly Header[] = []): readonly Header[] {
  const found = parseHeader(text);
  if (found === undefined) throw new InvalidArgumentError('Expected "Name: value".');
  return [...before, found];
}

function collected(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function serverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.search + url.hash !== '')
    throw new InvalidArgumentError('Expected a URL, for example https://old.example:8443/.');
  if (url.username + url.password !== '')
    throw new InvalidArgumentError(
      'Credentials are not allowed in the URL. Use --old-header or --new-header.',
    );
  return url;
}

function whole(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Expected a whole number above 0.');
  return Number(text);
}

function positive(text: string): number {
  const number = Number(text);
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(text) || number === 0)
    throw new InvalidArgumentError('Expected a number above 0.');
  return number;
}
