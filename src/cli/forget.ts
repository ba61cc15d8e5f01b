import { existsSync } from 'node:fs';

import type { Command } from 'commander';

import { recordAction } from '../admin/login/actions';
import { outboxFile, readSettings } from '../config';
import { OperatorError } from '../support/errors';
import { readPhone } from '../support/phones';
import {
  canonicalSchoolUrl,
  type ForgetReport,
  type ForgetSubject,
  type KeyForm,
  keyForm,
  PROVIDER_CHANNELS,
} from '../store';
import { counted, numberText, textTable } from '../support/text';
import { createCommand, type Host, onStore } from './run-command';
import { Calendar } from '../support/calendar';

interface ForgetCommandOptions {
  readonly phone?: string;
  readonly device?: string;
  readonly student?: readonly string[];
  readonly dryRun?: boolean;
}

/** `school-notifications forget --phone N | --device ID | --student SCHOOL ID` */
export function forget(host: Host): Command {
  return createCommand('forget', host)
    .description(
      'Deletes everything stored about a phone number, a device or a student, including waiting messages. ' +
        'The service may be running.',
    )
    .option('--phone <number>', 'codes to this phone number, in any format')
    .option('--device <id>', 'this device and the push messages to it')
    .option(
      '--student <school id...>',
      'this student (school URL and student id), with devices and push messages',
    )
    .option('--dry-run', 'only show what would be deleted')
    .action(async ({ dryRun = false, ...options }: ForgetCommandOptions) => {
      const { config } = readSettings(host.env);
      const subject = readSubject(options, config.DEFAULT_COUNTRY, keyForm(config.KEY_COLLATION.fold));
      const calendar = new Calendar(config.TIME_ZONE);
      const report = await onStore(host, async (store) => {
        const { sending, ...done } = await store.forget(subject, { dryRun, now: Date.now(), calendar });
        const by = Object.keys(subject).at(-1) ?? '';
        if (!dryRun)
          await recordAction(store, { who: 'command line', action: 'forget', detail: { by, ...done } });
        return { ...done, sending };
      });
      const files = PROVIDER_CHANNELS.map((channel) => outboxFile(config, channel)).filter((path) =>
        existsSync(path),
      );
      host.stdout.write(`${summary(report, subject, dryRun, files).join('\n')}\n`);
      const found = report.students + report.devices + report.messages + report.refused;
      if (found === 0 || report.sending > 0) host.exitCode = 1;
    });
}

function readSubject(
  { phone, device, student }: ForgetCommandOptions,
  country: Parameters<typeof readPhone>[1],
  formOf: KeyForm,
): ForgetSubject {
  const given = [phone, device, student].filter((value) => value !== undefined);
  if (given.length !== 1) throw new OperatorError('Give exactly one of --phone, --device and --student.');
  if (device !== undefined) return { device: formOf(device) };
  if (student !== undefined) {
    const [school, id, ...more] = student;
    if (school === undefined || id === undefined || more.length > 0) {
      throw new OperatorError('--student needs the school URL and the student id.');
    }
    return { school: canonicalSchoolUrl(school), student: formOf(id) };
  }
  const read = readPhone(phone ?? '', country);
  if (read === undefined) throw new OperatorError('--phone: not a valid phone number.');
  return { phone: read };
}

function summary(
  { students, devices, messages, cancelled, sending, refused }: ForgetReport,
  subject: ForgetSubject,
  dryRun: boolean,
  files: readonly string[],
): readonly string[] {
  const counts = {
    ...{ students, devices, messages, 'not yet sent': cancelled },
    ...('phone' in subject && { 'refused codes': refused }),
  };
  const header = ['data', dryRun ? 'to delete' : 'deleted'];
  const rows = Object.entries(counts).map(([what, count]) => [what, numberText(count)]);
  return [
    textTable(header, rows, 1),
    ...(students + devices + messages + refused + sending === 0 ? ['Nothing found.'] : []),
    ...(sending > 0
      ? [
          `${counted(sending, 'message')} being sent right now cannot be deleted. Run the command again in a minute.`,
        ]
      : []),
    ...('phone' in subject
      ? ['Messages older than a day are kept: their phone numbers are already masked.']
      : ['Also remove the data from the import files, or the next import brings it back.']),
    ...files.map((path) => `${path} may also contain such messages. Delete it yourself.`),
    ...(dryRun ? ['Dry run: nothing was deleted.'] : []),
  ];
}
