import { DIFFICULT, leftOut, refused, type Scenario } from '../scenario';
import { deviceWhere } from '../school';

const specialDevice = deviceWhere((token) => token.includes('<&"\'>'));
const devicesWithoutToken = deviceWhere((token) => token === '');

export const SCENARIOS: readonly Scenario[] = [
  token('a token', 'DEV-1', 'sample-token-01'),
  token('a token of difficult characters', specialDevice.id, specialDevice.token),
  token('an empty token', devicesWithoutToken.id, ''),
  token('no token for an unknown device', DIFFICULT, ''),
  refused('GetTokenDevice', [''], 'Parameter id is empty.'),
  refused('GetTokenDevice', ['x'.repeat(257)], 'Parameter id is longer than 256 characters.'),
  leftOut('GetTokenDevice', [null], 'id'),
];

function token(title: string, device: string, text: string): Scenario {
  return { title, operation: 'GetTokenDevice', args: [device], expected: { kind: 'text', text } };
}
