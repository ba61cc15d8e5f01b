import { get as getPlain, type RequestOptions } from 'node:http';
import { get as getOverTls } from 'node:https';
import { text } from 'node:stream/consumers';

import type { Command } from 'commander';

import { type Config, readSettings } from '../config';
import { errorMessage, OperatorError } from '../support/errors';
import { commandOf, type Host } from './run-command';

/** Longer than the service allows its store for an answer. */
const ANSWER_WITHIN_MS = 4000;

/** `school-notifications health` */
export function health(host: Host): Command {
  return commandOf('health', host)
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

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

/** @throws OperatorError if nothing answers */
async function ask(config: Config): Promise<Answer> {
  const { secure, port } = door(config);
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
function door({ PORT, HTTP_PORT, TLS_CERT_FILE }: Config): { secure: boolean; port: number } {
  if (TLS_CERT_FILE === undefined) return { secure: false, port: PORT };
  return HTTP_PORT === undefined ? { secure: true, port: PORT } : { secure: false, port: HTTP_PORT };
}

function answerTo(secure: boolean, options: RequestOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // The name in the certificate does not matter on the same machine, and no secret is sent.
    const request = secure ? getOverTls({ ...options, rejectUnauthorized: false }) : getPlain(options);
    request.once('error', reject).once('response', (response) => {
      text(response).then((body) => {
        resolve({ status: response.statusCode, body });
      }, reject);
    });
  });
}
