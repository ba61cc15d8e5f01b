// Bodies that begin and do not end.

import {
  exchange,
  NAMESPACE,
  RawConnection,
  type ServiceProcess,
  TEXT_XML,
  token11,
} from '../../scripts/harness';
import { useServices } from '../service/use-services';

const MEGABYTE = 2 ** 20;
const PATH = '/PushNotificationMobile.asmx';
const HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Type', TEXT_XML],
  ['SOAPAction', `"${NAMESPACE}GetTokenDevice"`],
  ['Connection', 'keep-alive'],
];

describe('endless bodies', () => {
  const services = useServices();

  let service: ServiceProcess;
  beforeAll(async () => {
    service = await services.start();
    expect((await exchange(service.port, token11('DEV-1'))).status).toBe(200);
  });

  it('take no more memory when sent byte by byte', async () => {
    const before = service.usage.residentBytes;
    const attacker = await RawConnection.open(service.port);
    attacker.send({ method: 'POST', path: PATH, headers: [...HEADERS, ['Transfer-Encoding', 'chunked']] });
    const pieces = Buffer.from('1\r\nx\r\n'.repeat(50_000));
    for (let part = 0; part < 12; part += 1) attacker.write(pieces);
    expect((await attacker.readFinal()).text).toContain('Maximum request length exceeded.');
    // Read to the end, 600,000 pieces took 250 MB.
    expect(service.usage.residentBytes - before).toBeLessThan(120 * MEGABYTE);
    attacker.close();
  });

  it('take only a few places, and no memory from valid requests', async () => {
    const before = service.usage.residentBytes;

    const part = Buffer.alloc(MEGABYTE, 'x');
    const attackers = await Promise.all(Array.from({ length: 200 }, () => RawConnection.open(service.port)));
    let refused = 0;
    await new Promise<void>((resolve, reject) => {
      for (const attacker of attackers) {
        attacker.send({
          method: 'POST',
          path: PATH,
          headers: [...HEADERS, ['Content-Length', String(4 * MEGABYTE)]],
        });
        attacker.write(part);
        attacker.readFinal().then(({ status }) => {
          if (status === 503) refused += 1;
          if (refused === 192) resolve();
        }, reject);
      }
    });

    for (let round = 0; round < 20; round += 1) {
      expect((await exchange(service.port, token11('DEV-1'))).status).toBe(200);
    }
    // Without places it was more than 200 MB.
    expect(service.usage.residentBytes - before).toBeLessThan(150 * MEGABYTE);
    for (const attacker of attackers) attacker.close();
    await service.stop(); // Then it has written all of its log.
    const warnings = await service.lines(
      (lines) => lines.filter(({ bound }) => bound === 'bodies'),
      'without its log',
    );
    expect(warnings).toHaveLength(1);
  });
});
