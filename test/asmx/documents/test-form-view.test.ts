// The wire contract, section 7: who gets the test form.

import type { RawRequest } from '../../../scripts/harness';
import { type UsedServer, useReference } from '../../harness/use-server';

const PAGE = '/PushNotificationMobile.asmx?op=GetTokenDevice';
const LOCAL_ONLY = 'The test form is only available for requests from the local machine.';

type Headers = RawRequest['headers'];

/** Returns what a visitor gets of the test form, and whether the page may send requests. */
async function viewOf(server: UsedServer, headers: Headers = []) {
  const page = await server.send({ path: PAGE, headers });
  const hasForm = page.text.includes('<form id="test-form"');
  const mayConnect = page.header('Content-Security-Policy')?.includes("connect-src 'self'");
  expect(mayConnect).toBe(hasForm);
  expect(page.text.includes('test-requests')).toBe(hasForm);
  return hasForm ? 'form' : page.text.includes(LOCAL_ONLY) ? 'local only' : 'nothing';
}

describe('the test form by default', () => {
  const service = useReference();

  it('is shown to callers on this machine', async () => {
    expect(await viewOf(service)).toBe('form');
  });

  it('contains the requests of the samples, cut at the values of its fields', async () => {
    const { text } = await service.send({ path: PAGE });
    const [, requests = ''] = /id="test-requests">(.*?)<\/script>/s.exec(text) ?? [];
    const value = { parameter: 'id', type: 'string' };
    const endpoint = 'PushNotificationMobile.asmx';
    const inEnvelope = [expect.stringMatching(/<id>$/), value, expect.stringMatching(/^<\/id>/)] as unknown;
    const SOAPAction = '"http://tempuri.org/GetTokenDevice"';
    expect(JSON.parse(requests)).toEqual({
      soap11: {
        ...{ method: 'POST', url: [endpoint], body: inEnvelope },
        headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction },
      },
      soap12: {
        ...{ method: 'POST', url: [endpoint], body: inEnvelope },
        headers: { 'Content-Type': 'application/soap+xml; charset=utf-8' },
      },
      get: { method: 'GET', url: [`${endpoint}/GetTokenDevice?id=`, value], headers: {}, body: null },
      post: {
        ...{ method: 'POST', url: [`${endpoint}/GetTokenDevice`], body: ['id=', value] },
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      },
    });
    // The script finds them by these.
    for (const id of [
      'value-id',
      'binding-choice',
      'sent-request',
      'answer-body',
      'answer-headers',
      'view-choice',
    ])
      expect(text).toContain(`id="${id}"`);
    for (const view of ['pretty', 'raw']) expect(text).toContain(`name="view" value="${view}"`);
    expect(text).not.toMatch(/<input[^>]* maxlength/);
  });

  it.each([
    [['X-Forwarded-For', '127.0.0.1']],
    [['X-Forwarded-For', '192.0.2.1']],
    [['X-Forwarded-Host', 'school.example']],
    [['Forwarded', 'for=127.0.0.1']],
    [['X-Real-IP', '127.0.0.1']],
    [['Via', '1.1 proxy']],
  ] as const)('is not shown for requests forwarded by a proxy on this machine: %s', async (header) => {
    expect(await viewOf(service, [header])).toBe('local only');
  });
});

describe('the test form behind a trusted proxy', () => {
  const service = useReference({ trustProxy: ['loopback'] });

  it.each([
    [['X-Forwarded-For', '127.0.0.1'], 'form'],
    [['X-Forwarded-For', '::1'], 'form'],
    [['X-Forwarded-For', '192.0.2.1'], 'local only'],
    [['X-Forwarded-For', '127.0.0.1, 192.0.2.1'], 'local only'],
    [['X-Forwarded-For', '192.0.2.1, 127.0.0.1'], 'local only'],
    [['X-Forwarded-For', 'nonsense'], 'local only'],
    [['X-Forwarded-Proto', 'https'], 'local only'],
    [['Forwarded', 'for="[::1]:4711";proto=https'], 'form'],
    [['Forwarded', 'for=192.0.2.1'], 'local only'],
    [['Forwarded', 'for=unknown'], 'local only'],
    [['Forwarded', 'for=127.0.0.1, for=192.0.2.1'], 'local only'],
  ] as const)('depends on the first sender that is not a proxy: %s gets %s', async (header, view) => {
    expect(await viewOf(service, [header])).toBe(view);
  });

  it('is shown to callers that connect without the proxy', async () => {
    expect(await viewOf(service)).toBe('form');
  });
});

describe('the test form configured by the operator', () => {
  const everyone = useReference({ testForm: 'everyone' });
  const off = useReference({ testForm: 'off' });

  it('is shown to everyone', async () => {
    expect(await viewOf(everyone, [['X-Forwarded-For', '192.0.2.1']])).toBe('form');
  });

  it('is hidden and not mentioned', async () => {
    expect(await viewOf(off)).toBe('nothing');
  });
});

describe('the requests of the test form', () => {
  const hostile = useReference({ namespace: 'urn:</script><b>' });

  it('are treated as data whatever the namespace looks like', async () => {
    const { text } = await hostile.send({ path: PAGE });
    expect(text).not.toContain('</script><b>');
    const [, json = ''] = /<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(text) ?? [];
    expect(JSON.parse(json)).toMatchObject({
      soap11: { headers: { SOAPAction: '"urn:</script><b>/GetTokenDevice"' } },
    });
  });
});
