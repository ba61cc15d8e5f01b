import { networkInterfaces } from 'node:os';

import { type Config, timeLimits, isThisMachine } from '../../config';
import { offeredOperations } from '../../service/endpoints';
import type { FrontCore } from '../../service/front';
import { attempted, type Finding } from '../../support/errors';
import { exposedFiles } from '../../support/private-files';
import { comparedFolder } from './folders';
import { Cutover } from './reverse-proxy/cutover';
import { ForwardingReport } from './reverse-proxy/forwarding-report';
import { Recorder } from './reverse-proxy/recorder';
import { ReverseProxy } from './reverse-proxy/reverse-proxy';
import { Shadow } from './reverse-proxy/shadow';
import { ShadowReport } from './reverse-proxy/shadow-report';
import { COMPARED_AT_ONCE, COMPARED_MS, OLD_SILENCE_MS, RECORDED_BYTES } from './limits';

/** @throws OperatorError when the cutover file cannot be used */
export async function openReverseProxy({
  config,
  asmx,
  logger,
  metrics,
  trace,
  ownPaths,
  openOwn,
}: FrontCore): Promise<ReverseProxy | undefined> {
  const { OLD_URL: oldUrl, ROLE: role } = config;
  if (oldUrl === undefined || role === 'worker') return undefined;
  const report = new ForwardingReport(logger, metrics, config.LOG_CLIENT, () => proxy.needsOldServer);
  const findings = new ShadowReport({
    logger,
    registry: metrics.registry,
    folder: comparedFolder(config),
    address: oldUrl,
  });
  const shadow = new Shadow({
    server: await openOwn(COMPARED_MS),
    timeoutMs: COMPARED_MS,
    concurrency: COMPARED_AT_ONCE,
    observer: findings,
  });
  const proxy = await ReverseProxy.open({
    oldUrl,
    publicAddress: config.BASE_URL,
    oldSilenceMs: OLD_SILENCE_MS,
    // A caller has one request at a time, so there are no more in progress.
    connections: config.MAX_CONNECTIONS,
    unreadMs: timeLimits(config).unreadMs,
    cutoverFile: config.CUTOVER_FILE,
    operations: offeredOperations(config),
    ours: asmx,
    ownPaths,
    shadow,
    recorder: new Recorder({
      path: config.RECORD_FILE,
      maxBytes: RECORDED_BYTES,
      note: report.noteRecorded.bind(report),
      onError: report.noteUnrecorded.bind(report),
    }),
    observe: report.note.bind(report),
    observeCompared: report.noteCompared.bind(report),
    onProbe: report.noteProbe.bind(report),
    trace,
  });
  return proxy;
}

/** Returns problems and notes about the migration settings. */
export function migrationFindings(config: Config): readonly Finding[] {
  const { OLD_URL: oldUrl, CUTOVER_FILE: file, RECORD_FILE: recording, ROLE: role } = config;
  if (role === 'worker') return [];
  const wrong = attempted(() => {
    if (file !== undefined) new Cutover(file, offeredOperations(config));
    return [];
  });
  const others =
    oldUrl === undefined
      ? useless({ CUTOVER_FILE: file, RECORD_FILE: recording })
      : [...findingsForAddress(oldUrl, config), ...findingsForRecording(recording)];
  return [...wrong, ...others];
}

function useless(files: Readonly<Record<string, string | undefined>>): readonly Finding[] {
  return Object.entries(files)
    .filter(([, path]) => path !== undefined)
    .map(([name]) => ({
      level: 'warn',
      message: `${name} has no effect without OLD_URL.`,
    }));
}

/** Checks the old server's address without contacting it. */
function findingsForAddress(oldUrl: string, config: Config): readonly Finding[] {
  if (isOurselves(oldUrl, config)) {
    return [
      {
        level: 'fatal',
        message: `OLD_URL (${oldUrl}) is this service itself, so requests would loop. Give the old server another address or port.`,
      },
    ];
  }
  if (config.BASE_URL === undefined || new URL(config.BASE_URL).origin !== oldUrl) return [];
  return [
    {
      level: 'warn',
      message:
        'OLD_URL has the same host as BASE_URL. On this machine, that name must resolve to the old server.',
    },
  ];
}

function findingsForRecording(path: string | undefined): readonly Finding[] {
  if (path === undefined) return [];
  return [
    {
      level: 'warn',
      message: `Requests are recorded in ${path} (RECORD_FILE), including phone numbers, codes, names, passwords and keys. Unset it and delete the files when you are done.`,
    },
    ...exposedFiles([path]).map(({ path, mode, message }): Finding => ({
      level: 'warn',
      message,
      fields: { path, mode },
    })),
  ];
}

function isOurselves(oldUrl: string, { PORT, HTTP_PORT, HOST }: Config): boolean {
  const { hostname, port, protocol } = new URL(oldUrl);
  const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  if (number !== PORT && number !== HTTP_PORT) return false;
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  // Another address of this machine may belong to another server on the same port.
  if (HOST !== undefined) return host === HOST.toLowerCase() || (isThisMachine(HOST) && isThisMachine(host));
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return isThisMachine(host) || addresses.some(({ address }) => address === host);
}
