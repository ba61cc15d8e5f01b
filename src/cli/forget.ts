import { existsSync } from 'node:fs';

import type { Command } from 'commander';

import { outboxFile, readSettings } from '../config';
import { OperatorError } from '../support/errors';
import { readPhone } from '../support/phones';
import {
  Calendar,
  canonicalKey,
  canonicalSchoolUrl,
  type ForgetReport,
  type ForgetSubject,
  PROVIDER_CHANNELS,
} from '../store';
import { numberText, textTable } from '../support/text';
import { commandOf, type Host, onStore } from './run-command';

interface ForgetCommandOptions {
  readonly phone?: string;
  readonly device?: string;
  readonly student?: readonly string[];
  readonly dryRun?: boolean;
}

/** `school-notifications forget --phone N | --device ID | --student SCHOOL ID` */
export function forget(host: Host): Command {
  return commandOf('forget', host)
    .description(
      'Takes out of the database what it holds of a telephone number, a device or a student, messages that wait to be ' +
        'sent included. The service may be running meanwhile.',
    )
    .option('--phone <number>', 'the codes to this number, in any way of writing it')
    .option('--device <id>', 'this device, and the push messages to it')
    .option(
      '--student <school id...>',
      'this student (URL of the school, id), with devices and push messages',
    )
    .option('--dry-run', 'only say what would go')
    .action(async ({ dryRun = false, ...options }: ForgetCommandOptions) => {
      const { config } = readSettings(host.env);
      const subject = subjectOf(options, config.DEFAULT_COUNTRY);
      const calendar = new Calendar(config.TIME_ZONE);
      const report = await onStore(host, (store) =>
        store.forget(subject, { dryRun, now: Date.now(), calendar }),
      );
      const files = PROVIDER_CHANNELS.map((channel) => outboxFile(config, channel)).filter((path) =>
        existsSync(path),
      );
      host.stdout.write(`${summary(report, subject, dryRun, files).join('\n')}\n`);
      const found = report.students + report.devices + report.messages;
      if (found === 0 || report.sending > 0) host.exitCode = 1;
    });
}

function subjectOf(
  { phone, device, student }: ForgetCommandOptions,
  country: Parameters<typeof readPhone>[1],
): ForgetSubject {
  const given = [phone, device, student].filter((value) => value !== undefined);
  if (given.length !== 1) throw new OperatorError('Name one of --phone, --device and --student.');
  if (device !== undefined) return { device: canonicalKey(device) };
  if (student !== undefined) {
    const [school, id, ...more] = student;
    if (school === undefined || id === undefined || more.length > 0) {
      throw new OperatorError('--student takes the URL of the school and the id of the student.');
    }
    return { school: canonicalSchoolUrl(school), student: canonicalKey(id) };
  }
  const read = readPhone(phone ?? '', country);
  if (read === undefined) throw new OperatorError('--phone takes a telephone number.');
  return { phone: read };
}

function summary(
  { students, devices, messages, cancelled, sending }: ForgetReport,
  subject: ForgetSubject,
  dryRun: boolean,
  files: readonly string[],
): readonly string[] {
  const counts = { students, devices, messages, 'of these not sent yet': cancelled };
  const header = ['what', dryRun ? 'would go' : 'gone'];
  const rows = Object.entries(counts).map(([what, count]) => [what, numberText(count)]);
  return [
    textTable(header, rows, 1),
    ...(students + devices + messages + sending === 0 ? ['Nothing is stored of them.'] : []),
    ...(sending > 0
      ? [`${numberText(sending)} just being sent: they stay. Run the command again in a minute.`]
      : []),
    ...('phone' in subject
      ? [
          'Messages older than a day have masked numbers, which tell nobody: they stay until their time is over.',
        ]
      : ['An import brings students and devices back that its files still have.']),
    ...files.map((path) => `${path} has what was not sent, but written there: take it away yourself.`),
    ...(dryRun ? ['Dry run: nothing was changed.'] : []),
  ];
}
