import { readFileSync, writeFileSync } from 'node:fs';

import { type Command, InvalidArgumentError, Option } from 'commander';

import { comparedFolder, type Config, readSettings } from '../config';
import {
  CannotCompare,
  compareServers,
  type Comparison,
  type Header,
  htmlReport,
  jsonReport,
  junitReport,
  type PassedOver,
  type Plan,
  readFindings,
  readTraffic,
  type Recorded,
  type Report,
  sampleValues,
  Sends,
  type SideOptions,
  textReport,
  TRAFFIC_KINDS,
  type TrafficKind,
} from '../migration';
import { endpointOperations } from '../service/endpoints';
import { errorWord, OperatorError } from '../support/errors';
import { counted, numberText, shown } from '../support/text';
import { commandOf, type Host, ProgressDisplay } from './run-command';

/** What the command line says, as commander has it. */
interface CompareCommandOptions {
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
function withOptions(command: Command, paths: readonly string[]): Command {
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
function sidesOf(
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
function readText(file: string): string {
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

/**
 * What the processes of this node have compared while the old server answered.
 *
 * @throws OperatorError where there is nothing yet
 */
function shadowReport(config: Config): Report {
  const folder = comparedFolder(config);
  const found = readFindings(folder);
  if (found === undefined) {
    throw new OperatorError(
      `Nothing was compared yet: ${folder} holds nothing. The service writes there while it stands in front of an old server (OLD_URL).`,
    );
  }
  const { from, to, findings } = found;
  return {
    old: config.OLD_URL ?? 'The old server',
    ours: 'this service',
    startedAt: from,
    seconds: Math.round((Date.parse(to) - Date.parse(from)) / 1000),
    notes: [`Compared while the old server answered, from ${from} to ${to}; remove ${folder} to begin anew.`],
    findings,
  };
}

/** Most lines about what was passed over, and most reasons. */
const MOST_SHOWN = 5;
const MOST_REASONS = 20;

/**
 * What is about to be sent, before it is.
 *
 * @param sendsTo - the servers to which requests that send go
 */
function planText({ requests, sending }: Plan, sendsTo: readonly SideOptions[]): readonly string[] {
  const places = sendsTo.map(({ url }) => url.origin).join(' and to ');
  const verb = sum(sending) === 1 ? 'sends' : 'send';
  return [
    `${counted(requests, 'request')} to compare.`,
    ...(sending.size === 0
      ? []
      : [`${namesText(sending)} of these ${verb}, so that people get messages: to ${places}.`]),
  ];
}

/** What goes to neither server. */
function leftOutText({ withheld, foreign }: Plan): readonly string[] {
  const goes = sum(withheld) === 1 ? 'would send, and goes' : 'would send, and go';
  return [
    ...(withheld.size === 0
      ? []
      : [`${namesText(withheld)} more ${goes} to neither server: see --sends-to-old and --sends-to-new.`]),
    ...(foreign === 0
      ? []
      : [
          `${counted(foreign, 'request')} for other paths than those of the endpoints ${foreign === 1 ? 'is' : 'are'} left out.`,
        ]),
  ];
}

/** What a reader of the report must know of how it went. */
function outcomeNotes({ ended, noisy, oneSided }: Comparison): readonly string[] {
  return [
    ...(ended === 'time' ? ['Ended by --time before all requests were sent.'] : []),
    ...(ended === 'signal' ? ['Ended before all requests were sent.'] : []),
    ...(noisy === 0
      ? []
      : [
          `To ${counted(noisy, 'request')} the old server gave two answers that differ; what does is no finding.`,
        ]),
    ...(oneSided === 0
      ? []
      : [
          `${counted(oneSided, 'request')} that ${oneSided === 1 ? 'sends' : 'send'} went to one side only: nothing was compared.`,
        ]),
  ];
}

/** What the readers of traffic passed over: the first ones with their places, and how many there were of each kind. */
class PassedOverTotal {
  readonly #first: string[] = [];
  readonly #reasons = new Map<string, number>();

  readonly add = ({ what, source, reason }: PassedOver): void => {
    if (what === 'malformed' && this.#first.length < MOST_SHOWN) this.#first.push(`${source} ${reason}.`);
    const key =
      this.#reasons.has(reason) || this.#reasons.size < MOST_REASONS ? reason : 'has another reason';
    this.#reasons.set(key, (this.#reasons.get(key) ?? 0) + 1);
  };

  lines(): readonly string[] {
    return [
      ...this.#first,
      ...[...this.#reasons].map(
        ([reason, count]) => `Passed over: ${counted(count, 'entry', 'entries')} of traffic, each ${reason}.`,
      ),
    ];
  }
}

function namesText(names: ReadonlyMap<string, number>): string {
  const parts = [...names].map(([name, count]) => `${name === '' ? 'unnamed' : name} ${numberText(count)}`);
  return `${numberText(sum(names))} (${parts.join(', ')})`;
}

function sum(names: ReadonlyMap<string, number>): number {
  return [...names.values()].reduce((total, count) => total + count, 0);
}

const EXIT_CODES = { equal: 0, different: 1, notCompared: 2 } as const;

const EXIT_CODES_TOLD = `
Exit code: 0 where all answers are equal, or differ on purpose; 1 with differences; 2 where it could not compare, or was
ended before it found one.`;

type GivenOptions = Omit<CompareCommandOptions, 'old'> & Partial<Pick<CompareCommandOptions, 'old'>>;

/** `school-notifications compare --old URL --new URL [--traffic FILE...] [--probe]` */
export function compare(host: Host): Command {
  // What keeps it from comparing is no difference.
  host.exitCode = EXIT_CODES.notCompared;
  const endpoints = endpointOperations();
  const paths = endpoints.map(({ file }) => `/${file}`);
  const command = commandOf('compare', host)
    .description(
      'Sends the same requests to the old server and to the new one, and says how their answers differ. Requests that ' +
        'have messages sent go to neither, unless it is told to.',
    )
    .addHelpText('after', EXIT_CODES_TOLD);
  return withOptions(command, paths).action(async (given: GivenOptions) => {
    const { old: oldUrl, ...others } = given;
    if (given.shadow === true) {
      reportShadow(given, host);
      return;
    }
    if (oldUrl === undefined) throw new OperatorError('Say with --old where the old server is.');
    const options: CompareCommandOptions = { ...others, old: oldUrl };
    const { old, ours } = sidesOf(options, host);
    await untilSignal(host, async (signal) => {
      const probed = options.path.length > 0 ? options.path : paths;
      if (options.valuesTemplate === true) await printTemplate(old, probed, host, signal);
      else
        await compareSides({ old, ours, paths: probed, options, sends: new Sends(endpoints), host, signal });
    });
  });
}

async function printTemplate(
  old: SideOptions,
  paths: readonly string[],
  host: Host,
  signal: AbortSignal,
): Promise<void> {
  host.stdout.write(await sampleValues(old, paths, noteTo(host.stderr), signal));
  host.exitCode = EXIT_CODES.equal;
}

interface Wanted {
  readonly old: SideOptions;
  readonly ours: SideOptions | undefined;
  readonly paths: readonly string[];
  readonly options: CompareCommandOptions;
  readonly sends: Sends;
  readonly host: Host;
  readonly signal: AbortSignal;
}

async function compareSides({ old, ours, paths, options, sends, host, signal }: Wanted): Promise<void> {
  const { json = false, probe = false, sendsToOld = false, sendsToNew = false, values } = options;
  if (ours === undefined) throw new OperatorError('Say with --new where the new server is.');
  if (options.traffic.length === 0 && !probe)
    throw new OperatorError(
      'Say with --traffic which requests are sent, or with --probe that they are made.',
    );
  // The report itself is the only thing on the standard output of a program that reads it.
  const note = noteTo(json ? host.stderr : host.stdout);
  const display = json ? undefined : new ProgressDisplay(host.stdout, { clears: true });
  let requests = 0;
  const show = (done: number): void => {
    const text = `${numberText(done)} of ${numberText(requests)} requests`;
    display?.show({ done, of: requests, text });
  };
  const passed = new PassedOverTotal();
  const left: string[] = [];
  const startedAt = new Date();
  let read = 0;
  const begun = performance.now();
  const comparison = await compareServers({
    old,
    ours,
    sends,
    sendsTo: { old: sendsToOld, ours: sendsToNew },
    count: options.count,
    traffic: () => {
      read += 1;
      return trafficOf(options, read === 1 ? passed.add : () => undefined);
    },
    probe: probe
      ? { paths, values: values === undefined ? undefined : { file: values, text: readText(values) } }
      : undefined,
    compare: { comparedHeaders: options.compareHeader, ignoredHeaders: options.ignoreHeader },
    concurrency: options.concurrency,
    perSecond: options.rate,
    milliseconds: options.time === undefined ? undefined : options.time * 1000,
    signal,
    onNote: note,
    onPlan: (plan) => {
      left.push(...passed.lines(), ...leftOutText(plan));
      for (const line of [
        ...planText(plan, [...(sendsToOld ? [old] : []), ...(sendsToNew ? [ours] : [])]),
        ...left,
      ])
        note(line);
      ({ requests } = plan);
      show(0);
    },
    onProgress: show,
  })
    .catch((error: unknown) => {
      // Why there is nothing to compare.
      if (left.length === 0) passed.lines().forEach(note);
      throw error;
    })
    .finally(() => {
      display?.end();
    });
  const notes = outcomeNotes(comparison);
  const report: Report = {
    old: old.url.href,
    ours: ours.url.href,
    startedAt: startedAt.toISOString(),
    seconds: Math.round(performance.now() - begun) / 1000,
    notes: [...left, ...notes],
    findings: comparison.findings,
  };
  // On a terminal it has been said what was left out.
  tell(report, notes, options, host);
  host.exitCode = exitCodeOf(comparison);
}

/** Reports what the processes of the service have compared so far. */
function reportShadow(options: GivenOptions, host: Host): void {
  const report = shadowReport(readSettings(host.env).config);
  tell(report, report.notes, options, host);
  host.exitCode = exitCodeOf({ findings: report.findings, ended: 'traffic' });
}

/** @param notes - for a terminal */
function tell(
  report: Report,
  notes: readonly string[],
  { json = false, html, junit }: Pick<CompareCommandOptions, 'json' | 'html' | 'junit'>,
  { stdout }: Host,
): void {
  stdout.write(json ? jsonReport(report) : textReport({ ...report, notes }));
  if (html !== undefined) writeReport(html, htmlReport(report));
  if (junit !== undefined) writeReport(junit, junitReport(report));
}

async function* trafficOf(
  { old, traffic, trafficKind: kind, trafficHost }: CompareCommandOptions,
  passedOver: PassedOverTotal['add'],
): AsyncGenerator<Recorded> {
  const hosts = (trafficHost.length > 0 ? trafficHost : [old.host]).map((host) => host.toLowerCase());
  for (const file of traffic) yield* readTraffic(file, { kind, hosts, passedOver });
}

function exitCodeOf({ findings, ended }: Pick<Comparison, 'findings' | 'ended'>): number {
  if (findings.failed > 0) return EXIT_CODES.different;
  return ended === 'signal' || findings.pairs === 0 ? EXIT_CODES.notCompared : EXIT_CODES.equal;
}

function noteTo(output: Host['stdout']): (line: string) => void {
  return (line) => {
    output.write(`${shown(line)}\n`);
  };
}

function writeReport(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new OperatorError(`The report ${file} cannot be written (${errorWord(error)}).`);
  }
}

/** Does something that the first Ctrl-C ends. */
async function untilSignal(host: Host, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const ending = new AbortController();
  const end = (): void => {
    ending.abort(new CannotCompare('Ended before anything was compared.'));
  };
  host.once?.('SIGINT', end);
  host.once?.('SIGTERM', end);
  try {
    await work(ending.signal);
  } finally {
    host.off?.('SIGINT', end);
    host.off?.('SIGTERM', end);
  }
}
