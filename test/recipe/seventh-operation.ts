import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The operation that is added, as CONTRIBUTING.md says how: it tells whose a device is. */
const OPERATION = 'GetDeviceOwner';
const ENDPOINT = 'DeviceOwners';

/** Adds the operation to a copy of the project, without a test. */
export function addOperation(folder: string): void {
  const text = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const write = (path: string, content: string): void => {
    writeFileSync(join(folder, path), content);
  };
  /** Puts a line behind another one, which must be there. */
  const insert = (path: string, behind: string, line: string): void => {
    const before = text(path);
    if (!before.includes(behind)) throw new Error(`${path} has no ${behind}`);
    write(
      path,
      before.replace(behind, () => `${behind}\n${line}`),
    );
  };

  const description = text('wsdl/PushNotificationMobile.wsdl')
    .replaceAll('PushNotificationMobile', ENDPOINT)
    .replaceAll('GetTokenDevice', OPERATION);
  write(`wsdl/${ENDPOINT}.wsdl`, description);
  write(`wsdl/${ENDPOINT}.help.json`, HELP);
  execFileSync('npm', ['run', '--silent', 'contract-types'], { cwd: folder, stdio: 'inherit' });
  write('src/operations/get-device-owner.ts', HANDLER);
  insert(
    'src/operations/operations.ts',
    `import { getStudentSchool } from './get-student-school';`,
    `import { getDeviceOwner } from './get-device-owner';`,
  );
  insert(
    'src/operations/operations.ts',
    '    GetTokenDevice: getTokenDevice(store),',
    `    ${OPERATION}: getDeviceOwner(store),`,
  );
}

/** Adds the test of the operation. */
export function addScenarios(folder: string): void {
  writeFileSync(join(folder, 'test/interop/scenarios/get-device-owner.ts'), SCENARIOS);
}

const HELP = `{
  "${OPERATION}": {
    "summary": "Tells whether somebody has a device.",
    "parameters": { "id": { "meaning": "The device.", "example": "DEV-1" } },
    "result": "Never empty."
  }
}
`;

const HANDLER = `import type { Store } from '../store';
import { MAX_LENGTHS, required } from './arguments';
import type { Operation } from './contract';

export interface GetDeviceOwnerDependencies {
  readonly devices: Pick<Store['devices'], 'tokenOf'>;
}

/** Returns whether a student has a device. */
export function getDeviceOwner({ devices }: GetDeviceOwnerDependencies): Operation<'${OPERATION}'> {
  return async (args, call) => {
    const token = await devices.tokenOf(required(args, 'id', MAX_LENGTHS.key));
    call.annotate({ found: token !== '' });
    return token === '' ? 'nobody' : 'somebody';
  };
}
`;

const SCENARIOS = `import { leftOut, refused, type Scenario } from '../scenario';

export const SCENARIOS: readonly Scenario[] = [
  {
    title: 'a device that somebody has',
    operation: '${OPERATION}',
    args: ['DEV-1'],
    expected: { kind: 'text', text: 'somebody' },
  },
  refused('${OPERATION}', [''], 'Parameter id is empty.'),
  leftOut('${OPERATION}', [null], 'id'),
];
`;
