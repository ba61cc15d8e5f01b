import type { Command } from 'commander';

import { type Config, readSettings } from '../../../config';
import { comparedFolder } from '../folders';
import { Sends } from '../calls';
import { compareServers, type Comparison, sampleValues } from '../comparing/compare-servers';
import { CannotCompare } from '../comparing/describe';
import type { Plan } from '../comparing/plan';
import type { TargetOptions } from '../comparing/target';
import { jsonReport, type Report } from '../report/report';
import { htmlReport, textReport } from '../report/reports';
import { readFindings } from '../reverse-proxy/shadow-report';
import { type PassedOver, readTraffic, type Recorded } from '../traffic/traffic';
import { endpointOperations } from '../../../service/endpoints';
import { OperatorError } from '../../../support/errors';
import { cannotWrite, replaceFileSync } from '../../../support/replace-file';
import { counted, numberText, shown } from '../../../support/text';
import { type CompareCommandOptions, readText, readTargets, withOptions } from './compare-options';
import { createCommand, type Host, ProgressDisplay } from '../../../cli/run-command';

/** Reports what the reverse proxy has compared. @throws OperatorError if it has compared nothing */
function shadowReport(config: Config): Report {
  const folder = comparedFolder(config);
  const found = readFindings(folder);
  if (found === undefined) {
    throw new OperatorError(
      `Nothing has been compared yet: ${folder} is empty. The service writes to it while it is the reverse proxy of an old server (OLD_URL).`,
    );
  }
  const { from, to, findings } = found;
  return {
    old: config.OLD_URL ?? 'the old server',
    ours: 'this service',
    startedAt: from,
    seconds: Math.round((Date.parse(to) - Date.parse(from)) / 1000),
    notes: [`Compared from ${from} to ${to}. To start over, delete ${folder}.`],
    findings,
  };
}

/** Maximum number of lines about skipped traffic, and of reasons. */
const MAX_SHOWN = 5;
const MAX_REASONS = 20;

/** @param sendsTo - the servers that get requests with side effects */
function planText({ requests, sending }: Plan, sendsTo: readonly TargetOptions[]): readonly string[] {
  const places = sendsTo.map(({ url }) => url.origin).join(' and on ');
  return [
    `${counted(requests, 'request')} to compare.`,
    ...(sending.size === 0
      ? []
      : [`Warning: ${namesText(sending)} of them trigger messages to people, on ${places}.`]),
  ];
}

/** Describes the requests that are sent to neither server. */
function leftOutText({ withheld, foreign }: Plan): readonly string[] {
  return [
    ...(withheld.size === 0
      ? []
      : [
          `Not sent to either server, because they trigger messages: ${namesText(withheld)}. See --sends-to-old and --sends-to-new.`,
        ]),
    ...(foreign === 0 ? [] : [`Ignored: ${counted(foreign, 'request')} to paths that are not endpoints.`]),
  ];
}

/** Returns notes for the reader of the report about the course of the comparison. */
function outcomeNotes({ ended, noisy, oneSided }: Comparison): readonly string[] {
  return [
    ...(ended === 'time' ? ['Stopped by --time before all requests were sent.'] : []),
    ...(ended === 'signal' ? ['Stopped before all requests were sent.'] : []),
    ...(noisy === 0
      ? []
      : [
          `For ${counted(noisy, 'request')}, two responses of the old server differ from each other; these differences are ignored.`,
        ]),
    ...(oneSided === 0
      ? []
      : [`Not compared: ${counted(oneSided, 'request')} that went to one server only.`]),
  ];
}

/** Summary of the traffic that readers skipped: the first places, and the number of each kind. */
class PassedOverTotal {
  readonly #first: string[] = [];
  readonly #reasons = new Map<string, number>();

  readonly add = ({ what, source, reason }: PassedOver): void => {
    if (what === 'malformed' && this.#first.length < MAX_SHOWN) this.#first.push(`${source}: ${reason}.`);
    const key = this.#reasons.has(reason) || this.#reasons.size < MAX_REASONS ? reason : 'another reason';
    this.#reasons.set(key, (this.#reasons.get(key) ?? 0) + 1);
  };

  lines(): readonly string[] {
    return [
      ...this.#first,
      ...[...this.#reasons].map(
        ([reason, count]) => `Skipped ${counted(count, 'traffic entry', 'traffic entries')}: ${reason}.`,
      ),
    ];
  }
}

function namesText(names: ReadonlyMap<string, number>): string {
  const parts = [...names].map(([name, count]) => `${name === '' ? 'unnamed' : name} ${numberText(count)}`);
  const all = [...names.values()].reduce((total, count) => total + count, 0);
  return `${numberText(all)} (${parts.join(', ')})`;
}

const EXIT_CODES = { equal: 0, different: 1, notCompared: 2 } as const;

const EXIT_CODES_HELP = `
Exit code: 0 if all responses are equal or differ in known ways only; 1 if there are differences; \
2 if the comparison
failed or was stopped before it found a difference.`;

type CompareArguments = Omit<CompareCommandOptions, 'old'> & Partial<Pick<CompareCommandOptions, 'old'>>;

/** `school-notifications compare --old URL --new URL [--traffic FILE...] [--probe]` */
export function compare(host: Host): Command {
  // A failure to compare is not a difference.
  host.exitCode = EXIT_CODES.notCompared;
  const endpoints = endpointOperations();
  const paths = endpoints.map(({ file }) => `/${file}`);
  const command = createCommand('compare', host)
    .description(
      'Sends the same requests to the old and the new server, and reports how their responses differ. By default, ' +
        'requests that trigger messages are not sent.',
    )
    .addHelpText('after', EXIT_CODES_HELP);
  return withOptions(command, paths).action(async (given: CompareArguments) => {
    const { old: oldUrl, ...others } = given;
    if (given.shadow === true) {
      reportShadow(given, host);
      return;
    }
    if (oldUrl === undefined) throw new OperatorError('--old is required: the URL of the old server.');
    const options: CompareCommandOptions = { ...others, old: oldUrl };
    const { old, ours } = readTargets(options, host);
    await untilSignal(host, async (signal) => {
      const probed = options.path ?? paths;
      if (options.valuesTemplate === true) await printTemplate(old, probed, host, signal);
      else
        await compareTargets({
          old,
          ours,
          paths: probed,
          options,
          sends: new Sends(endpoints),
          host,
          signal,
        });
    });
  });
}

async function printTemplate(
  old: TargetOptions,
  paths: readonly string[],
  host: Host,
  signal: AbortSignal,
): Promise<void> {
  host.stdout.write(await sampleValues(old, paths, noteTo(host.stderr), signal));
  host.exitCode = EXIT_CODES.equal;
}

interface CompareRun {
  readonly old: TargetOptions;
  readonly ours: TargetOptions | undefined;
  readonly paths: readonly string[];
  readonly options: CompareCommandOptions;
  readonly sends: Sends;
  readonly host: Host;
  readonly signal: AbortSignal;
}

async function compareTargets({ old, ours, paths, options, sends, host, signal }: CompareRun): Promise<void> {
  const {
    json = false,
    probe = false,
    sendsToOld = false,
    sendsToNew = false,
    values,
    traffic = [],
  } = options;
  if (ours === undefined) throw new OperatorError('--new is required: the URL of the new server.');
  if (traffic.length === 0 && !probe)
    throw new OperatorError('Pass recorded requests with --traffic, or generate requests with --probe.');
  // With --json, standard output must contain the report only, for programs.
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
    compare: { comparedHeaders: options.compareHeader ?? [], ignoredHeaders: options.ignoreHeader ?? [] },
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
      // Explains why there is nothing to compare.
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
  // On a terminal, the omissions have already been printed.
  print(report, notes, options, host);
  host.exitCode = exitCodeFor(comparison);
}

function reportShadow(options: CompareArguments, host: Host): void {
  const report = shadowReport(readSettings(host.env).config);
  print(report, report.notes, options, host);
  host.exitCode = exitCodeFor({ findings: report.findings, ended: 'traffic' });
}

/** @param notes - for a terminal */
function print(
  report: Report,
  notes: readonly string[],
  { json = false, html }: Pick<CompareCommandOptions, 'json' | 'html'>,
  { stdout }: Host,
): void {
  stdout.write(json ? jsonReport(report) : textReport({ ...report, notes }));
  if (html !== undefined) writeReport(html, htmlReport(report));
}

async function* trafficOf(
  { traffic = [], trafficKind: kind }: CompareCommandOptions,
  passedOver: PassedOverTotal['add'],
): AsyncGenerator<Recorded> {
  for (const file of traffic) yield* readTraffic(file, { kind, passedOver });
}

function exitCodeFor({ findings, ended }: Pick<Comparison, 'findings' | 'ended'>): number {
  if (findings.failed > 0) return EXIT_CODES.different;
  return ended === 'signal' || findings.pairs === 0 ? EXIT_CODES.notCompared : EXIT_CODES.equal;
}

function noteTo(output: Host['stdout']): (line: string) => void {
  return (line) => {
    output.write(`${shown(line)}\n`);
  };
}

/** A report contains no personal data; the umask decides who may read it. */
const READABLE = 0o666;

function writeReport(file: string, text: string): void {
  try {
    replaceFileSync(file, text, READABLE);
  } catch (error) {
    throw new OperatorError(cannotWrite(`the report ${file}`, error), { cause: error });
  }
}

/** Runs work until it ends or Ctrl-C is pressed. */
async function untilSignal(host: Host, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const ending = new AbortController();
  const end = (): void => ending.abort(new CannotCompare('Stopped before anything was compared.'));
  host.once?.('SIGINT', end);
  host.once?.('SIGTERM', end);
  try {
    await work(ending.signal);
  } finally {
    host.off?.('SIGINT', end);
    host.off?.('SIGTERM', end);
  }
}
