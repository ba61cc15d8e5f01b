import { cpSync } from 'node:fs';
import { join } from 'node:path';

import { call, envelope11, envelope12, soap11, soap12 } from '../../scripts/harness';
import { asTheContractShows } from '../interop/clients/hand-written';
import { scenariosOf } from '../interop/scenarios';
import { loadSchools } from '../interop/school';
import { type Connection, tryScenario } from '../interop/try-scenario';
import { CALLS } from '../harness/contract-operations';
import { useServicesHere } from './use-services-here';

const services = useServicesHere();
let loaded = '';
let connection: Connection;
beforeAll(async () => {
  loaded = await loadSchools(services.folder);
});

/** Starts a service of its own for a binding: what one binding has stored is unknown to the others. */
async function connectOver(binding: (typeof asTheContractShows.bindings)[number]): Promise<void> {
  const dataFolder = join(services.folder, binding.name);
  cpSync(loaded, dataFolder, { recursive: true });
  // Stored messages stay as they are: nothing delivers them.
  const process = await services.start({ settings: { ROLE: 'web', DATA_DIR: dataFolder } });
  const address = `http://localhost:${String(process.port)}`;
  const caller = await binding.open(address, services.folder);
  connection = { binding, caller, service: { process, dataFolder, address } };
}

describe.each(asTheContractShows.bindings.map((binding) => [binding.name, binding] as const))(
  'over %s',
  (name, binding) => {
    beforeAll(() => connectOver(binding));

    describe.each(CALLS.filter((call) => call.binding === name))('$name', (operation) => {
      it.each(scenariosOf(operation, name))('$title', async (scenario) => {
        expect(await tryScenario(scenario, operation, connection)).toBeUndefined();
      });
    });

    if (!name.startsWith('soap')) return;
    const element = (values: Readonly<Record<string, string>>) => call('GetStudentSchool', values);
    const send = (body: string) =>
      connection.service.process.ask(
        name === 'soap11'
          ? soap11('NotificationNotes', 'GetStudentSchool', envelope11(body))
          : soap12('NotificationNotes', envelope12(body)),
      );

    it('GetStudentSchool without its character is rejected, where it could be null', async () => {
      const { status, text } = await send(element({ school_base_url: 'http://school.example' }));
      expect([status, text]).toEqual([500, expect.stringContaining('>Missing parameter: show_active.<')]);
    });

    it('GetStudentSchool accepts the character itself, too', async () => {
      const values = { school_base_url: 'http://school.example', show_active: 'Y' };
      const { status, text } = await send(element(values));
      expect(status).toBe(200);
      expect(text.match(/<StudentInfo>/g)).toHaveLength(32);
    });
  },
);
