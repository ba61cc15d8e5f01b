import type { Command } from 'commander';

import { type Config, readSettings, type Settings } from '../config';
import { checkSettings, checkStore, located, type Section } from '../admin/reports';
import { checkProviders, tryPush, trySms } from './check-providers';
import { checkExitCode, checkReport } from './check-report';
import { commandOf, type Host } from './run-command';

interface Trials {
  readonly sms?: string;
  readonly push?: string;
}

/** `school-notifications check` */
export function check(host: Host): Command {
  return commandOf('check', host)
    .description(
      'Shows every setting in effect and where it comes from, and looks for what is wrong with them, with the database ' +
        'and with the providers. Changes nothing, and sends nothing unless it is told to. Exit code: 0, with warnings ' +
        '1, and 2 where something cannot work.',
    )
    .option(
      '--sms <number>',
      'sends one SMS with the code 000000 to this number, and shows what the gateway answers',
    )
    .option(
      '--push <token>',
      'sends one push message to the device of this token, and shows what FCM answers',
    )
    .action(async (trials: Trials) => {
      const sections = await look(readSettings(host.env), host.versions, trials);
      host.stdout.write(checkReport(sections));
      host.exitCode = checkExitCode(sections);
    });
}

async function look(
  settings: Settings,
  versions: Host['versions'],
  trials: Trials,
): Promise<readonly Section[]> {
  const section = checkSettings(settings, versions);
  // With values that cannot be used there is nothing more to look at.
  if (settings.findings.some(({ level }) => level === 'fatal')) return [section];
  const { config } = settings;
  const parts = [checkStore, checkProviders, ...trialsOf(trials)];
  const others: Section[] = [];
  for (const part of parts) others.push(located(await part(config), settings));
  return [section, ...others];
}

function trialsOf({ sms, push }: Trials): readonly ((config: Config) => Promise<Section>)[] {
  return [
    ...(sms === undefined ? [] : [(config: Config) => trySms(config, sms)]),
    ...(push === undefined ? [] : [(config: Config) => tryPush(config, push)]),
  ];
}
