// Beyond the wire contract, section 7: documents are compressed, and not sent again.

import { gunzipSync } from 'node:zlib';

import type { RawResponse } from '../../../scripts/harness';
import { useReference } from '../../harness/use-server';

const service = useReference();

const DOCUMENTS = [
  '/',
  '/NotificationNotes.asmx',
  '/NotificationNotes.asmx?op=GetStudentSchool',
  '/NotificationNotes.asmx?op=Nope',
  '/NotificationNotes.asmx?wsdl',
  '/NotificationNotes.asmx?singleWsdl',
  '/NotificationNotes.asmx?disco',
];
const OTHERS = ['/NotificationNotes.asmx?wsdl=1', '/NotificationNotes.asmx/SendMarkNotes?id=1', '/Nope.asmx'];

function get(path: string, ...headers: (readonly [string, string])[]): Promise<RawResponse> {
  return service.send({ path, headers });
}

describe('a document', () => {
  it.each(DOCUMENTS)('has an entity tag, and is not sent again if unchanged: %s', async (path) => {
    const first = await get(path);
    const tag = first.header('ETag') ?? '';
    expect(tag).toMatch(/^W\/"[\w+/-]+"$/);
    expect((await get(path)).header('ETag')).toBe(tag);

    for (const condition of [tag, tag.slice(2), '*', `"other", ${tag}`]) {
      const again = await get(path, ['If-None-Match', condition]);
      expect(again.status).toBe(304);
      expect(again.body).toHaveLength(0);
      expect(again.header('ETag')).toBe(tag);
      expect(again.header('Cache-Control')).toBe('private, max-age=0');
      expect(again.header('Content-Length')).toBe(String(first.body.length));
    }
    expect((await get(path, ['If-None-Match', '"other"'])).status).toBe(200);
  });

  it('sends the next answer on the same connection after a 304', async () => {
    const connection = await service.connect();
    const path = '/NotificationNotes.asmx?wsdl';
    const keep = ['Connection', 'keep-alive'] as const;
    connection.send({ path, headers: [keep, ['If-None-Match', '*']] });
    expect((await connection.read()).status).toBe(304);
    connection.send({ path, headers: [keep] });
    const second = await connection.read();
    expect(second.status).toBe(200);
    expect(second.text).toMatch(/^<\?xml/);
    connection.close();
  });

  it.each(DOCUMENTS)('is compressed if the caller accepts it: %s', async (path) => {
    const whole = await get(path);
    expect(whole.header('Content-Encoding')).toBeUndefined();
    expect(whole.header('Vary')).toBe('Accept-Encoding');
    for (const accepted of ['gzip', 'br, GZIP;q=0.5', '*']) {
      const compressed = await get(path, ['Accept-Encoding', accepted]);
      expect(compressed.header('Content-Encoding')).toBe('gzip');
      expect(compressed.header('Vary')).toBe('Accept-Encoding');
      expect(compressed.header('Content-Type')).toBe(whole.header('Content-Type'));
      expect(compressed.header('Content-Length')).toBe(String(compressed.body.length));
      expect(compressed.body.length).toBeLessThan(whole.body.length);
      expect(gunzipSync(compressed.body).equals(whole.body)).toBe(true);
    }
  });

  it.each(['', 'identity', 'br', 'gzip;q=0', 'gzip; q=0.0, *', '*;q=0', 'gzip;q=x'])(
    'is not compressed if the caller does not accept it: %s',
    async (accepted) => {
      const answer = await get('/NotificationNotes.asmx?wsdl', ['Accept-Encoding', accepted]);
      expect(answer.header('Content-Encoding')).toBeUndefined();
      expect(answer.text).toMatch(/^<\?xml/);
    },
  );

  it('has another tag under another address', async () => {
    const path = '/NotificationNotes.asmx?wsdl';
    const tag = (await get(path)).header('ETag') ?? '';
    const elsewhere = await get(
      path,
      ['Host', 'school.example'],
      ['If-None-Match', tag],
      ['Accept-Encoding', 'gzip'],
    );
    expect(elsewhere.status).toBe(200);
    expect(gunzipSync(elsewhere.body).toString()).toContain(
      'location="http://school.example/NotificationNotes.asmx"',
    );
  });

  it('stays correct whatever was compressed before it', async () => {
    for (let round = 0; round < 150; round += 1) {
      const host = `host-${String(round % 75)}.test`;
      const answer = await get('/GetNoteType.asmx?disco', ['Host', host], ['Accept-Encoding', 'gzip']);
      expect(gunzipSync(answer.body).toString()).toContain(`http://${host}/GetNoteType.asmx`);
    }
  });
});

describe('an answer that is not a document', () => {
  it.each(OTHERS)('has neither tag nor compression: %s', async (path) => {
    const answer = await get(path, ['Accept-Encoding', 'gzip'], ['If-None-Match', '*']);
    expect(answer.status).not.toBe(304);
    for (const name of ['ETag', 'Content-Encoding', 'Vary']) expect(answer.header(name)).toBeUndefined();
  });
});
