import { cpSync } from 'node:fs';
import { join } from 'node:path';

import type { Binding } from '../../src/asmx';
import { BINDING_TITLES, call, envelope11, envelope12, soap11, soap12 } from '../../scripts/harness';
import { asTheContractShows } from '../interop/clients/hand-written';
import { scenariosOf } from '../interop/scenarios';
import { loadSchools } from '../interop/school';
import { type Connection, tryScenario } from '../interop/try-scenario';
import { CALLS } from '../harness/contract-operations';
import { useServices } from './use-services';

const services = useServices();
/** Each binding has a service of its own: what one has stored is nothing to the others. */
const connections = new Map<Binding, Connection>();

beforeAll(async () => {
  const loaded = await loadSchools(services.folder);
  for (const binding of asTheContractShows.bindings) {
    const dataFolder = join(services.folder, binding.name);
    cpSync(loaded, dataFolder, { recursive: true });
    // Stored messages stay as they are: nothing delivers them.
    const process = await services.start({ settings: { ROLE: 'web', DATA_DIR: dataFolder } });
    const address = `http://localhost:${String(process.port)}`;
    const caller = await binding.open(address, services.folder);
    connections.set(binding.name, { binding, caller, service: { process, dataFolder, address } });
  }
});

function connectionOver(binding: Binding): Connection {
  const connection = connections.get(binding);
  if (connection === undefined) throw new Error(`Nobody calls over ${BINDING_TITLES[binding]}`);
  return connection;
}

describe.each(CALLS)('$name over $binding', ({ binding, ...operation }) => {
  it.each(scenariosOf(operation, binding))('$title', async (scenario) => {
    expect(await tryScenario(scenario, operation, connectionOver(binding))).toBeUndefined();
  });
});

it('GetStudentSchool without its character is rejected over SOAP, where it could be null', async () => {
  const element = call('GetStudentSchool', { school_base_url: 'http://school.example' });
  const request = soap11('NotificationNotes', 'GetStudentSchool', envelope11(element));
  const { status, text } = await connectionOver('soap11').service.process.ask(request);
  expect([status, text]).toEqual([
    500,
    expect.stringContaining('<faultstring>Missing parameter: show_active.</faultstring>'),
  ]);
});

it('GetStudentSchool accepts the character itself over SOAP, too', async () => {
  const values = { school_base_url: 'http://school.example', show_active: 'Y' };
  const element = call('GetStudentSchool', values);
  const requests = {
    soap11: soap11('NotificationNotes', 'GetStudentSchool', envelope11(element)),
    soap12: soap12('NotificationNotes', envelope12(element)),
  };
  for (const binding of ['soap11', 'soap12'] as const) {
    const { status, text } = await connectionOver(binding).service.process.ask(requests[binding]);
    expect(status).toBe(200);
    expect(text.match(/<StudentInfo>/g)).toHaveLength(32);
  }
});
