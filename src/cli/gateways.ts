import type { Command } from 'commander';

import { type Config, readOperatorFile, readSettings } from '../config';
import {
  askBalance,
  checkGateway,
  type Gateway,
  readGateways,
  readPresets,
  readReceiptFile,
  type ReadReceipt,
  sendTestSms,
  shadowedRules,
  type Trial,
} from '../delivery';
import { reasonText } from '../store';
import { OperatorError } from '../support/errors';
import { readPhone } from '../support/phones';
import { shown, textTable } from '../support/text';
import { createCommand, type Host } from './run-command';

/** Maximum number of characters shown of an answer. */
const SHOWN_CHARACTERS = 2000;

/** `school-notifications gateways [list|presets|test|receipt|balance]` */
export function gateways(host: Host): Command {
  const config = (): Config => readSettings(host.env).config;
  const command = createCommand('gateways', host).description(
    'Lists and tests the SMS gateways in GATEWAYS_FILE.',
  );
  command
    .command('list', { isDefault: true })
    .description('Lists the gateways and the routes.')
    .action(() => {
      host.stdout.write(listText(config()));
    });
  command
    .command('presets')
    .description('Lists the presets for GATEWAYS_FILE, and the values that each needs.')
    .action(() => {
      host.stdout.write(presetList());
    });
  command
    .command('test')
    .description(
      'Sends one SMS with the code 000000 and shows the request, the response and how the service reads it. ' +
        'Exit code: 0 if the gateway accepted the SMS, 2 if not.',
    )
    .argument('<gateway>', 'name of the gateway in GATEWAYS_FILE')
    .argument('<number>', 'phone number to send the SMS to, such as +905551112233')
    .action(async (name: string, number: string) => {
      const settings = config();
      const phone = readPhone(number, settings.DEFAULT_COUNTRY);
      if (phone === undefined) {
        throw new OperatorError(
          `${number} is not a valid phone number. Start it with + and the country code.`,
        );
      }
      const trial = await sendTestSms(settings, gatewayNamed(settings, name), phone);
      host.stdout.write(trialText(trial));
      host.exitCode = trial.outcome.kind === 'sent' ? 0 : 2;
    });
  command
    .command('receipt')
    .description(
      'Reads receipts from a file, such as the body or the query of a call, as the service would, and records nothing. ' +
        'Exit code: 0 if it understands all of them, 2 if not.',
    )
    .argument('<gateway>', 'name of the gateway in GATEWAYS_FILE')
    .argument('<file>', 'file with one call: a form or a query, JSON or XML')
    .action((name: string, file: string) => {
      const text = readOperatorFile(file, 'receipt').text;
      const receipts = readReceiptFile(gatewayNamed(config(), name), text, Date.now());
      const lines = receipts.length === 0 ? ['No receipt found. Check "list".'] : receipts.map(receiptLine);
      host.stdout.write(`${lines.map(shown).join('\n')}\n`);
      const isUnderstood = (each: ReadReceipt): boolean =>
        each === 'waiting' || (typeof each !== 'string' && 'state' in each);
      host.exitCode = receipts.length > 0 && receipts.every(isUnderstood) ? 0 : 2;
    });
  command
    .command('balance')
    .description('Shows the balance of each account whose gateway reports it.')
    .action(async () => {
      const settings = config();
      const rows = await Promise.all(
        allGateways(settings).map(async (gateway) => [gateway.name, await balanceText(settings, gateway)]),
      );
      host.stdout.write(`${textTable(['gateway', 'balance'], rows)}\n`);
    });
  return command;
}

/** @throws OperatorError if there is no file, or it cannot be used */
function readGatewayFile({ GATEWAYS_FILE: path }: Config) {
  if (path === undefined) throw new OperatorError('GATEWAYS_FILE is not set: there are no SMS gateways.');
  const file = readGateways(path);
  file.gateways.forEach(checkGateway);
  return file;
}

function allGateways(config: Config): readonly Gateway[] {
  return readGatewayFile(config).gateways;
}

function gatewayNamed(config: Config, name: string): Gateway {
  const all = allGateways(config);
  const found = all.find((gateway) => gateway.name === name);
  if (found !== undefined) return found;
  const names = all.map((gateway) => gateway.name).join(', ');
  throw new OperatorError(`GATEWAYS_FILE has no gateway "${name}". It has: ${names}.`);
}

function listText(config: Config): string {
  const { gateways: all, routes } = readGatewayFile(config);
  const rows = all.map(({ name, method, url, rate, connections }) => [
    name,
    // Placeholders instead of values: a URL may contain a password.
    `${method} ${url.split('?', 1).join('')}`,
    rate === undefined ? 'none' : `${String(Math.round(rate * 60))} a minute`,
    String(connections),
  ]);
  const lines = routes.map(
    ({ countries, gateways: names }) => `${countries?.join(', ') ?? 'all numbers'}: ${names.join(', then ')}`,
  );
  return [
    textTable(['gateway', 'request', 'rate limit', 'connections'], rows),
    'Routes:',
    ...lines.map((line) => `  ${line}`),
    ...shadowedRules(all, routes).map((text) => `Warning: ${text}`),
    '',
  ].join('\n');
}

function receiptLine(receipt: ReadReceipt): string {
  if (receipt === 'waiting') return 'waiting: another receipt follows';
  if (receipt === 'unreadable') return 'not understood: no id at "providerId"';
  const { providerId } = receipt;
  if ('unmatched' in receipt)
    return `${providerId}: not understood: no rule in "states" names ${receipt.unmatched || 'its status or code'}`;
  const code = receipt.code === null ? '' : ` (${receipt.code})`;
  const time =
    receipt.isExact === true ? new Date(receipt.at).toISOString() : 'without a time of the gateway';
  return `${providerId}: ${receipt.state}${code}, ${time}`;
}

function presetList(): string {
  return readPresets()
    .map(([name, { title, ask, parameters, unconfirmed }]) =>
      [
        `${name}: ${title}`,
        ...ask.map((text) => `  Ask for: ${text}`),
        ...Object.entries(parameters).map(([key, parameter]) => {
          const fallback = parameter.default ?? (parameter.sameAs && `the same as ${parameter.sameAs}`);
          const usual = fallback ? ` (default: ${fallback})` : fallback === '' ? ' (optional)' : '';
          return `  "${key}": ${parameter.description}${usual}`;
        }),
        ...unconfirmed.map((text) => `  Note: ${text}`),
        '',
      ].join('\n'),
    )
    .join('\n');
}

async function balanceText(config: Config, gateway: Gateway): Promise<string> {
  return gateway.balance === undefined
    ? 'not reported by this gateway'
    : ((await askBalance(config, gateway)) ?? 'unknown: the gateway did not answer as expected');
}

function trialText({ request, answer, outcome }: Trial): string {
  const lines = [
    ...(request === undefined
      ? []
      : [
          `> ${request.method} ${request.url}`,
          ...Object.entries(request.headers).map(([name, value]) => `> ${name}: ${value}`),
          ...(request.body === '' ? [] : [`> ${request.body}`]),
        ]),
    ...(answer === undefined
      ? []
      : [`< HTTP ${String(answer.status)}`, `< ${answer.body.slice(0, SHOWN_CHARACTERS)}`.trimEnd()]),
    ...(outcome.kind === 'sent'
      ? [`Accepted by the gateway (id: ${outcome.providerId ?? 'none'}).`]
      : [`Not accepted (${outcome.kind}): ${'reason' in outcome ? reasonText(outcome.reason) : ''}`.trim()]),
  ];
  return lines.map((line) => `${line.split('\n').map(shown).join('\n')}\n`).join('');
}
