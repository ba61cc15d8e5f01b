import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { endServer, listen, portOf } from '../../../scripts/harness';
import { showsFileChannel } from '../../service/shows-file-channel';
import { PROCESS_COUNTS, useServicesEitherWay } from '../../service/use-services-here';

describe.each(PROCESS_COUNTS)('the alerts of a service with PROCESSES=%s', (PROCESSES) => {
  const services = useServicesEitherWay();

  it('are on /readyz, in the metrics, and with the receivers of ALERTS_FILE, which SIGHUP reloads', async () => {
    let onPost: (body: unknown) => void;
    const posted = new Promise((resolve) => (onPost = resolve));
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        response.end();
        onPost(JSON.parse(body));
      });
    });
    await listen(server);
    const file = join(services.folder, 'alerts.json');
    const write = (receivers: object): void => {
      writeFileSync(file, JSON.stringify({ receivers }), { mode: 0o600 });
    };
    const url = `http://127.0.0.1:${String(portOf(server))}/`;
    write({ chat: { severity: 'critical', webhook: { url, body: ['{event} {alert}', '{text}'] } } });
    try {
      const service = await services.start({
        settings: { PROCESSES, SAMPLE_DATA: 'false', PUSH_CHANNEL: 'file', ALERTS_FILE: file },
      });
      await showsFileChannel(service);
      expect(await posted).toEqual(['started FileChannel', expect.stringContaining('Messages are not sent')]);
      write({ chat: { webhook: { url: 'nowhere' } } });
      expect(await service.reload()).toMatchObject({ wrong: ['ALERTS_FILE'] });
      expect(
        await service.line('reload failed, the previous settings and files stay in effect'),
      ).toMatchObject({
        reason: expect.stringContaining('receivers > chat > webhook > url: ') as unknown,
      });
      write({});
      expect(await service.reload()).toMatchObject({ changed: ['ALERTS_FILE'], wrong: [] });
    } finally {
      await endServer(server);
    }
  });
});
