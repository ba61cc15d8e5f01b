import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { JSON_GATEWAY } from '../../../scripts/harness/delivery';
import { readGateways } from '../../../src/delivery';
import { openGateway } from '../../../src/delivery/gateways/sms-gateway';
import { NO_PROXY } from '../../delivery/transports/transport-kit';
import { useFolderPerTest } from '../../harness/use-folder';

const folder = useFolderPerTest();
const gateway = { url: 'https://sms.example/send', ...JSON_GATEWAY };
const only = (description: object): string => {
  const path = join(folder(), 'gateways.json');
  writeFileSync(path, JSON.stringify({ gateways: { own: description } }));
  return path;
};
const open = (path: string): void => {
  for (const each of readGateways(path).gateways) void openGateway(each, NO_PROXY).close();
};

describe('GATEWAYS_FILE', () => {
  it.each<readonly [string, () => string, string]>([
    [
      'an unknown placeholder in a request for receipts',
      () =>
        only({
          ...gateway,
          receipts: {
            request: { url: 'https://x.example/{providerIds}/{telephone}' },
            status: { json: '/s' },
            states: [{ status: 1, state: 'delivered' }],
          },
        }),
      'gateways > own > receipts > request > url: unknown placeholder {telephone}.',
    ],
    [
      'a request for receipts without an id',
      () =>
        only({
          ...gateway,
          receipts: {
            request: { url: 'https://x.example/' },
            status: { json: '/s' },
            states: [{ status: 1, state: 'delivered' }],
          },
        }),
      'receipts > request must contain {providerIds}.',
    ],
    [
      'receipts from nowhere',
      () =>
        only({
          ...gateway,
          receipts: {
            providerId: { json: '/i' },
            status: { json: '/s' },
            states: [{ status: 1, state: 'delivered' }],
          },
        }),
      'receipts needs "url", or "receiptUrl" among the values, or "request".',
    ],
    [
      'an unknown placeholder in a key of signatures',
      () =>
        only({
          ...gateway,
          values: { receiptUrl: 'https://x.example/receipts/own/S3cret-of-this-gateway' },
          receipts: {
            providerId: { json: '/i' },
            status: { json: '/s' },
            states: [{ status: 1, state: 'delivered' }],
            signature: { type: 'twilio', key: '{telephone}' },
          },
        }),
      'gateways > own > receipts > signature > key: unknown placeholder {telephone}.',
    ],
    [
      'an address for receipts that is not its own',
      () =>
        only({
          ...gateway,
          values: { receiptUrl: 'https://x.example/receipts/other/S3cret-of-this-gateway' },
          receipts: {
            providerId: { json: '/i' },
            status: { json: '/s' },
            states: [{ status: 1, state: 'delivered' }],
          },
        }),
      'gateways > own > receiptUrl needs a URL that ends in /receipts/own/SECRET',
    ],
  ])('with %s is refused with the place', (_what, path, message) => {
    expect(() => {
      open(path());
    }).toThrow(message);
  });

  it.each([
    ['ids', '"receipts" > "request"'],
    ['separator', '"receipts"'],
    ['state', 'a rule in "states"'],
  ])('says where its field %s belongs', (name, place) => {
    expect(() => {
      open(only({ ...gateway, [name]: 1 }));
    }).toThrow(`is not a field here; it belongs to ${place}`);
  });
});
