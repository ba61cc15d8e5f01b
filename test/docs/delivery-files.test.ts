import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { loadConfig, readSettings } from '../../src/config';
import { readGateways } from '../../src/delivery/gateways/gateway-file';
import { openGateway } from '../../src/delivery/gateways/sms-gateway';
import { readDeliveryFile, Wording } from '../../src/delivery/wording';
import { MESSAGE_STATES } from '../../src/store';
import { readRepositoryFile } from '../harness/repository-files';
import { useFolderPerTest } from '../harness/use-folder';
import { NO_PROXY } from '../delivery/transports/transport-kit';

/** Returns the fenced block of a document that holds this text. */
function block(document: string, text: string): string {
  const blocks = [...readRepositoryFile(document).matchAll(/^```\w+\n(.*?)^```$/gms)].map(
    ([, content = '']) => content,
  );
  const found = blocks.filter((content) => content.includes(text));
  if (found.length !== 1) throw new Error(`${document} has ${String(found.length)} blocks with ${text}`);
  return found[0] ?? '';
}

const folder = useFolderPerTest();
function file(name: string, content: string): string {
  const path = join(folder(), name);
  writeFileSync(path, content);
  return path;
}

it('the delivery file in docs/texts-and-hours.md is valid', () => {
  const content = readDeliveryFile(file('delivery.json', block('docs/texts-and-hours.md', '"quietHours"')));
  expect(content.schools['https://okul.example']).toEqual({
    language: 'tr',
    timeZone: 'Europe/Istanbul',
    quietHours: { from: 21 * 60, until: 7 * 60 + 30 },
  });
  const wording = new Wording(loadConfig({}).SMS_TEXT, content);
  expect(wording.sms('+905551112233', '1234')).toEqual({ text: 'Kodunuz: 1234', parts: 1 });
  expect(wording.sms('+4915123456789', '1234').text).toBe('Ihr Code: 1234');
  expect(content.countries['TR']).toMatchObject({ smsShiftTable: 'turkish', smsSuffix: ' B016' });
  expect(wording.push('https://schule.example', { title: 'Mathe', text: '2' })).toEqual({
    title: 'Neue Note: Mathe',
    body: '2',
  });
});

it.each(
  [...readRepositoryFile('docs/sms-gateways.md').matchAll(/^```json\n(.*?)^```$/gms)].map(
    ([, content = '']) => content,
  ),
)('the GATEWAYS_FILE in docs/sms-gateways.md is valid: %s', async (content) => {
  for (const secret of ['netgsm-password', 'verimor', 'twilio', 'own-key']) file(secret, 'secret');
  const { gateways } = readGateways(file('gateways.json', content));
  expect(gateways).not.toEqual([]);
  for (const gateway of gateways) await openGateway(gateway, NO_PROXY).close();
});

it('docs/push.md names the settings of Firebase Cloud Messaging', () => {
  const { config } = readSettings({}, file('.env', block('docs/push.md', 'PUSH_CHANNEL=fcm')));
  expect(config).toMatchObject({
    PUSH_CHANNEL: 'fcm',
    FCM_SERVICE_ACCOUNT: '/etc/school/firebase-key.json',
  });
});

it('docs/messages.md explains each state of a message', () => {
  const [, section = ''] = readRepositoryFile('docs/messages.md').split('\n## States\n');
  expect([...section.matchAll(/^- `([a-z]+)`: /gm)].map(([, state]) => state)).toEqual(MESSAGE_STATES);
});
