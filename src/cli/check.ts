import type { Command } from 'commander';

import { type CheckSection, checkSettings, checkStore, located } from '../admin/reports/checks';
import { type Config, readSettings } from '../config';
import { reachProviders, sendTestPush } from '../delivery';
import { ALL_FEATURES } from '../features/feature';
import { type ProviderChannel, reasonText } from '../store';
import { preflight } from '../service/preflight';
import { type Finding, OperatorError } from '../support/errors';
import { maskToken } from '../support/masks';
import { counted, shown, textTable } from '../support/text';
import { createCommand, type Host } from './run-command';

/** Name of each provider's messages, and the settings that configure it. */
const WORDS: Readonly<Record<ProviderChannel, { readonly name: string; readonly settings: string }>> = {
  sms: { name: 'SMS', settings: 'GATEWAYS_FILE' },
  push: { name: 'push messages', settings: 'FCM_SERVICE_ACCOUNT' },
};

/** Maximum number of characters shown of a provider's answer. */
const SHOWN_CHARACTERS = 2000;

/** Checks that the providers can be reached; sends nothing. */
async function checkProviders(config: Config): Promise<CheckSection> {
  const title = 'Providers';
  if (config.ROLE === 'web') {
    return { title, rows: [['none', 'not used by this process (ROLE=web)']], findings: [] };
  }
  try {
    const providers = await reachProviders(config);
    return {
      title,
      rows: providers.map(({ channel, name, isReached, what }) => [
        `${channel} (${name})`,
        isReached ? what : 'unreachable',
      ]),
      findings: providers
        .filter(({ isReached }) => !isReached)
        .map(({ channel, what }) => ({
          level: 'error',
          message: `Cannot send ${WORDS[channel].name}. ${what} Check ${WORDS[channel].settings} and the network.`,
        })),
    };
  } catch (error) {
    // The problem is already among the findings about the settings.
    if (error instanceof OperatorError) return { title, rows: [['none', 'not checked']], findings: [] };
    throw error;
  }
}

async function tryPush(config: Config, token: string): Promise<CheckSection> {
  const title = `Test push message to ${maskToken(token)} (${config.PUSH_CHANNEL})`;
  try {
    const { outcome, answer } = await sendTestPush(config, token);
    const body = answer?.body.slice(0, SHOWN_CHARACTERS) ?? '';
    return {
      title,
      rows: [
        ...(answer === undefined ? [] : [['answer', `${String(answer.status)} ${body}`.trim()]]),
        ...(outcome.kind === 'sent'
          ? [
              ['outcome', 'sent'],
              ['id', outcome.providerId ?? 'none'],
            ]
          : [['outcome', outcome.kind]]),
      ],
      findings:
        outcome.kind === 'sent'
          ? []
          : [
              {
                level: 'error',
                message: `The test message was not sent. ${'reason' in outcome ? reasonText(outcome.reason) : 'It was written to a file (PUSH_CHANNEL=file).'}`,
              },
            ],
    };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { title, rows: [], findings: [{ level: 'error', message: `Nothing was sent. ${error.message}` }] };
  }
}

const LEVEL_WORDS = { warn: 'Warning', error: 'Error', fatal: 'Error' } as const satisfies Record<
  Finding['level'],
  string
>;

/** Returns everything that was checked, for the terminal, with the number of errors and warnings. */
function checkReport(sections: readonly CheckSection[]): string {
  const parts = sections.map(({ title, rows, findings }) => {
    const [first, ...others] = rows;
    const table = first === undefined ? [] : textTable(first.map(shown), others, first.length).split('\n');
    const lines = findings.map(({ level, message }) => `${LEVEL_WORDS[level]}: ${shown(message)}`);
    return [title, ...[...table, ...lines].map((line) => `  ${line}`)].join('\n');
  });
  const { warnings, failures } = counts(sections);
  const summary =
    warnings + failures === 0
      ? 'No problems found.'
      : `${failures === 0 ? 'No errors' : counted(failures, 'error')}, ${warnings === 0 ? 'no warnings' : counted(warnings, 'warning')}.`;
  return `${parts.join('\n\n')}\n\n${summary}\n`;
}

function counts(sections: readonly CheckSection[]) {
  const levels = sections.flatMap(({ findings }) => findings.map(({ level }) => level));
  const warnings = levels.filter((level) => level === 'warn').length;
  return { warnings, failures: levels.length - warnings };
}

/** `school-notifications check` */
export function check(host: Host): Command {
  return createCommand('check', host)
    .description(
      'Checks the settings, the database and the connections to the providers and the old server. Changes nothing, and ' +
        'sends nothing without --push. Exit code: 0 if there are no errors (warnings do not count), otherwise 2.',
    )
    .option('--all', 'also list the settings that have their default value')
    .option('--push <token>', 'send one push message to the device with this token, and show the response')
    .action(async ({ all = false, push }: { readonly all?: boolean; readonly push?: string }) => {
      const settings = readSettings(host.env);
      const sections = [checkSettings(settings, await preflight(settings, host.versions), all)];
      // Nothing else can be checked with invalid values.
      if (!settings.findings.some(({ level }) => level === 'fatal')) {
        const others = await checkOthers(settings.config, push);
        sections.push(...others.map((other) => located(other, settings)));
      }
      host.stdout.write(checkReport(sections));
      host.exitCode = counts(sections).failures > 0 ? 2 : 0;
    });
}

/** @param push - token of the device for a test message; default: none is sent */
async function checkOthers(config: Config, push: string | undefined): Promise<readonly CheckSection[]> {
  return [
    await checkStore(config),
    await checkProviders(config),
    ...(push === undefined ? [] : [await tryPush(config, push)]),
    ...(
      await Promise.all(ALL_FEATURES.map(async ({ checkOnline }) => (await checkOnline?.(config)) ?? []))
    ).flat(),
  ];
}
