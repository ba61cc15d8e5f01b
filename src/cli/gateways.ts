import type { Command } from 'commander';

import { type Config, readSettings } from '../config';
import {
  askBalance,
  checkGateway,
  type Gateway,
  readGateways,
  readPresets,
  sendTestSms,
  shadowedRules,
  type Trial,
} from '../delivery';
import { ALL_FEATURES } from '../features/feature';
import { reasonText } from '../store';
import { OperatorError } from '../support/errors';
import { readPhone } from '../support/phones';
import { shown, textTable } from '../support/text';
import { createCommand, type Host } from './run-command';

/** Maximum number of characters shown of an answer. */
const SHOWN_CHARACTERS = 2000;

/** `school-notifications gateways [list|presets|test|balance]`, and the commands that features add to it */
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
  for (const { gatewayCommands } of ALL_FEATURES) gatewayCommands?.(command, host);
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

/** @throws OperatorError if GATEWAYS_FILE has no gateway with the name, or cannot be used */
export function gatewayNamed(config: Config, name: string): Gateway {
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
