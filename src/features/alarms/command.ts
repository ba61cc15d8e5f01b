import { englishText, type Sentence } from '../../support/phrase';
import type { Command } from 'commander';
import { Registry } from 'prom-client';

import { readAlertsFile } from './alerts-file';
import { activeAlerts } from '../../admin/alerts/alerts';
import type { Alert } from '../../admin/alerts/rule';
import { schoolName, testNotification } from './notifier';
import { failureText, openReceivers } from './receivers';
import { readSnapshot } from '../../admin/alerts/snapshot';
import { type Config, readSettings } from '../../config';
import { preflight } from '../../service/preflight';
import { nodeName } from '../../store';
import { OperatorError } from '../../support/errors';
import { readVersion } from '../../support/program-name';
import { shown } from '../../support/text';
import { createCommand, type Host, onStore } from '../../cli/run-command';

/** `school-notifications alerts [test]` */
export function alerts(host: Host): Command {
  const command = createCommand('alerts', host)
    .description(
      'Lists the active alerts, as the nodes and the database report them. The service may be running or not.',
    )
    .action(async () => {
      host.stdout.write(await activeText(host));
    });
  command.addCommand(
    createCommand('test', host)
      .description(
        'Sends a test alert to every receiver in ALERTS_FILE, and shows each response. Exit code: 1 if one fails.',
      )
      .action(async () => {
        const { config } = readSettings(host.env);
        if (!(await sendTests(config, host))) host.exitCode = 1;
      }),
  );
  return command;
}

/** The command is not a node, so alerts about a node's own state are left out. */
async function activeText(host: Host): Promise<string> {
  const settings = readSettings(host.env);
  const node = { name: 'none', version: readVersion(), folder: '', metrics: { registry: new Registry() } };
  const found = { config: settings.config, findings: await preflight(settings, host.versions) };
  const active = await onStore(host, async (store) =>
    activeAlerts(await readSnapshot(store, node, found, Date.now())),
  );
  if (active.length === 0) return 'No active alerts.\n';
  return active
    .filter(({ cause }) => cause === undefined)
    .map((alert) => alertText(alert, active))
    .join('');
}

/** Returns an alert in lines, with its symptoms under it, as the console shows them. */
function alertText({ key, rule, summary, description, advice }: Alert, all: readonly Alert[]): string {
  const text = (sentence: Sentence<string>): string => shown(englishText(sentence));
  const symptoms = all
    .filter(({ cause }) => cause === key)
    .map((symptom) => `  - ${text(symptom.summary)} (${symptom.rule.name}): ${text(symptom.description)}`);
  return [
    `${rule.severity}: ${text(summary)} (${rule.name})`,
    `  ${text(description)}`,
    `  ${advice.join(' ')}`,
    ...symptoms,
    '',
  ].join('\n');
}

/** Returns true if all were accepted. */
async function sendTests(config: Config, host: Host): Promise<boolean> {
  if (config.ALERTS_FILE === undefined) {
    throw new OperatorError(
      'ALERTS_FILE is not set, so alerts are not sent. Set it to a file with receivers.',
    );
  }
  const receivers = openReceivers(readAlertsFile(config.ALERTS_FILE), config);
  const notification = testNotification(nodeName(config.PORT));
  // The receivers are tested also while the database does not answer.
  const school = await onStore(host, schoolName).catch(() => '');
  const results = await Promise.all(
    receivers.map(async ({ name, send }) => {
      try {
        const { answer, refused } = await send(notification, { school, page: '/' });
        const others = refused.map(({ address, reason }) => `; not to ${address}: ${reason}`).join('');
        const text = `${name}: sent (${shown(`${answer}${others}`)})\n`;
        return { isSent: refused.length === 0, text };
      } catch (error) {
        return { isSent: false, text: `${name}: failed (${shown(failureText(error))})\n` };
      }
    }),
  );
  host.stdout.write(results.map(({ text }) => text).join(''));
  return results.every(({ isSent }) => isSent);
}
