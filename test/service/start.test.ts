import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { openStore } from '../../src/store';
import { get, PACKAGE_ROOT, token11 } from '../../scripts/harness';
import { type ServiceHere, useServicesHere } from './use-services-here';

const STUDENTS = get(
  'NotificationNotes',
  'GetStudentSchool',
  'school_base_url=http://school.example&show_active=Y',
);
const ENDPOINTS = [
  'AuthCodeSending',
  'Scheduals',
  'GetNoteType',
  'NotificationNotes',
  'PushNotificationMobile',
];

const SAMPLE_SCHOOL_LOADED = 'loaded the sample school into the new database (SAMPLE_DATA)';

describe('the first start', () => {
  const services = useServicesHere();
  let service: ServiceHere;
  beforeAll(async () => {
    service = await services.start();
  });

  it('creates the database and loads the sample school', async () => {
    await service.line(SAMPLE_SCHOOL_LOADED, { problems: 0 });
    expect((await service.ask(token11('DEV-1'))).text).toContain('sample-token-01');
  });

  it('prints the five addresses, a command per binding, and the metrics address', () => {
    for (const name of ENDPOINTS) {
      expect(service.errors).toContain(`http://localhost:${String(service.port)}/${name}.asmx`);
    }
    const printed = service.errors.replaceAll(`:${String(service.port)}/`, ':8080/').match(/curl .*/g);
    expect(printed).toHaveLength(4);
    const readme = readFileSync(join(PACKAGE_ROOT, 'README.md'), 'utf8');
    expect(readme.match(/^curl .*/gm)).toEqual(printed);
    expect(service.errors).toContain(`http://127.0.0.1:${String(service.adminPort)}/metrics`);
  });

  it('keeps its data for the second start, which loads nothing', async () => {
    await service.ask(get('AuthCodeSending', 'AuthCode', 'code=1&phone=5551112233'));
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    await service.line('stopped');

    const second = await services.start();
    expect((await second.ask(STUDENTS)).text).toContain('Ayşe Yılmazer');
    expect(second.output).not.toContain(SAMPLE_SCHOOL_LOADED);
    await second.stop();
  });
});

describe('a start after one that was killed early', () => {
  const services = useServicesHere();

  it('loads the sample school into the existing empty database', async () => {
    await (await openStore({ url: `sqlite:${join(services.folder, 'data', 'service.db')}` })).close();
    const service = await services.start();
    expect((await service.ask(token11('DEV-1'))).text).toContain('sample-token-01');
    await service.stop();
  });
});

describe('a start without sample data', () => {
  const services = useServicesHere();

  it('begins with an empty database', async () => {
    const service = await services.start({ settings: { SAMPLE_DATA: 'false' } });
    expect((await service.ask(STUDENTS)).text).not.toContain('<StudentInfo>');
    expect((await service.ask(STUDENTS)).status).toBe(200);
  });
});
