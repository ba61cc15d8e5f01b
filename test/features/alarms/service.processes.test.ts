import { EventEmitter, once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { endServer, listen, portOf } from '../../../scripts/harness';
import { showsFileChannel } from '../../service/shows-file-channel';
import { PROCESS_COUNTS, useServicesEitherWay } from '../../service/use-services-here';

describe.each(PROCESS_COUNTS)('the alerts of a service with PROCESSES=%s', (PROCESSES) => {
  const services = useServicesEitherWay();

  it('are on /readyz, in the metrics, and with the receivers of ALERTS_FILE, which SIGHUP reloads', async () => {
    const posts = new EventEmitter();
    const texts = new Map<string, string>();
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        response.end();
        const [what, said] = JSON.parse(body) as readonly [string, string];
        texts.set(`${request.url ?? ''} ${what}`, said);
        posts.emit('post');
      });
    });
    const posted = async (what: string): Promise<string | undefined> => {
      while (!texts.has(what)) await once(posts, 'post');
      return texts.get(what);
    };
    await listen(server);
    const file = join(services.folder, 'alerts.json');
    const write = (receivers: object): void => {
      writeFileSync(file, JSON.stringify({ receivers }), { mode: 0o600 });
    };
    const receiver = (severity: string) => ({
      severity,
      webhook: {
        url: `http://127.0.0.1:${String(portOf(server))}/${severity}`,
        body: ['{event} {alert}', '{text}'],
      },
    });
    write({ chat: receiver('critical'), staff: receiver('info') });
    // The settings have a warning: other users can read the file.
    chmodSync(file, 0o644);
    try {
      const service = await services.start({
        settings: { PROCESSES, SAMPLE_DATA: 'false', PUSH_CHANNEL: 'file', ALERTS_FILE: file },
      });
      await showsFileChannel(service);
      expect(await posted('/critical started FileChannel')).toContain('Messages are not sent');
      write({ chat: { webhook: { url: 'nowhere' } } });
      expect(await service.reload()).toMatchObject({ wrong: ['ALERTS_FILE'] });
      expect(
        await service.line('reload failed, the previous settings and files stay in effect'),
      ).toMatchObject({
        reason: expect.stringContaining('receivers > chat > webhook > url: ') as unknown,
      });
      write({});
      expect(await service.reload()).toMatchObject({ changed: ['ALERTS_FILE'], wrong: [] });
      // Waits for what is being sent.
      await service.stop();
      expect(texts.get('/info started SettingsWarn')).toContain('Settings have warnings');
      expect([...texts.keys()]).not.toContain('/critical started SettingsWarn');
    } finally {
      await endServer(server);
    }
  });
});
