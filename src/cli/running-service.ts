import { once } from 'node:events';
import { get as getPlain, type IncomingMessage, request, type RequestOptions } from 'node:http';
import { get as getOverTls } from 'node:https';
import { text } from 'node:stream/consumers';

import type { Command } from 'commander';

import { type Config, readSettings, type ReloadResult, type Settings } from '../config';
import { readReloadAddress } from '../service/reload-requests';
import { errorMessage, OperatorError } from '../support/errors';
import { shown } from '../support/text';
import { createCommand, type Host } from './run-command';

/** Longer than the service allows its store for an answer. */
const ANSWER_WITHIN_MS = 4000;

/** `school-notifications health` */
export function health(host: Host): Command {
  return createCommand('health', host)
    .description(
      'Asks the service on this machine whether it is ready for requests (/readyz). Exit code: 0 if it is, otherwise 1. ' +
        'For container health checks: needs neither a shell nor curl.',
    )
    .action(async () => {
      const { status, body } = await ask(readSettings(host.env).config);
      host.stdout.write(`${body}\n`);
      host.exitCode = status === 200 ? 0 : 1;
    });
}

interface ServiceAnswer {
  readonly status: number | undefined;
  readonly body: string;
}

/** @throws OperatorError if nothing answers */
async function ask(config: Config): Promise<ServiceAnswer> {
  const { secure, port } = localPort(config);
  if (port === 0)
    throw new OperatorError('PORT is 0, so the port is only known from the service’s log. Set a fixed PORT.');
  const options = {
    host: config.HOST ?? '127.0.0.1',
    port,
    path: '/readyz',
    agent: false,
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  };
  try {
    return await answerTo(secure, options);
  } catch (error) {
    throw new OperatorError(
      `No response from the service on ${options.host}, port ${String(port)}: ${errorMessage(error)}`,
      { cause: error },
    );
  }
}

/** Uses the port without TLS if there is one: the TLS port may require a client certificate. */
function localPort({ PORT, HTTP_PORT, TLS_CERT_FILE }: Config): { secure: boolean; port: number } {
  if (TLS_CERT_FILE === undefined) return { secure: false, port: PORT };
  return HTTP_PORT === undefined ? { secure: true, port: PORT } : { secure: false, port: HTTP_PORT };
}

function answerTo(secure: boolean, options: RequestOptions): Promise<ServiceAnswer> {
  return new Promise((resolve, reject) => {
    // The name in the certificate does not matter on the same machine, and no secret is sent.
    const request = secure ? getOverTls({ ...options, rejectUnauthorized: false }) : getPlain(options);
    request.once('error', reject).once('response', (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    });
  });
}

/** Long enough for busy processes to open their new files. */
const RELOADED_WITHIN_MS = 60_000;

/** `school-notifications reload` */
export function reload(host: Host): Command {
  return createCommand('reload', host)
    .description(
      'Reloads the settings and files of the service that runs with this DATA_DIR. Prints errors; whatever has an error ' +
        'keeps its previous value. Exit code: 0 if there are no errors, otherwise 1.',
    )
    .action(async () => {
      const { changed, needRestart, wrong } = await requestReload(readSettings(host.env));
      const warning = `Warning: these settings take effect after a restart: ${needRestart.join(', ')}.\n`;
      const errors = wrong.map(({ reason }) => `Error: ${shown(reason)}\n`);
      host.stderr.write([...errors, ...(needRestart.length === 0 ? [] : [warning])].join(''));
      const verb = needRestart.length === 1 ? 'needs' : 'need';
      const none =
        needRestart.length === 0 ? 'no changes' : `nothing. ${needRestart.join(', ')} ${verb} a restart`;
      host.stdout.write(`Reloaded: ${changed.length === 0 ? none : changed.join(', ')}.\n`);
      host.exitCode = wrong.length === 0 ? 0 : 1;
    });
}

/** @throws OperatorError if no service accepts the request */
async function requestReload({ texts, fileProblem }: Settings): Promise<ReloadResult> {
  const { DATA_DIR = '' } = texts;
  const address = readReloadAddress(DATA_DIR);
  if (address === undefined) {
    throw new OperatorError(
      fileProblem ??
        `No service is running with DATA_DIR=${DATA_DIR}, or it has ADMIN_PORT=off. In that case, set RELOAD_ON_CHANGE=true.`,
    );
  }
  const { url, token } = address;
  const signal = AbortSignal.timeout(RELOADED_WITHIN_MS);
  const headers = { Authorization: `Bearer ${token}` };
  try {
    const sent = request(url, { method: 'POST', headers, agent: false, signal }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const body = await text(response);
    if (response.statusCode === 200) return JSON.parse(body) as ReloadResult; // The program's own answer.
    throw new Error(body.trim());
  } catch (error) {
    throw new OperatorError(`The service at ${url} did not reload: ${errorMessage(error)}`, { cause: error });
  }
}
