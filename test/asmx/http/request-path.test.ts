// The wire contract, section 1: which paths lead to an endpoint.

import { readRequestPath } from '../../../src/asmx/http/request-path';

const FILE = '/A.asmx';

describe('the path of an endpoint', () => {
  it.each([
    ['/A.asmx', FILE, ''],
    ['/a.ASMX', '/a.ASMX', ''],
    ['/A.asmx/', FILE, '/'],
    ['/A.asmx/Op', FILE, '/Op'],
    ['/A.asmx/Op/more', FILE, '/Op/more'],
    ['//A.asmx///Op', FILE, '/Op'],
    ['/%41.asmx/%C5%9F', FILE, '/ş'],
    ['/A.asmx/a+b', FILE, '/a+b'],
    ['/./A.asmx', FILE, ''],
    ['/x/../A.asmx', FILE, ''],
    ['/../../A.asmx/./Op', FILE, '/Op'],
    ['/A.asmx/x/../Op', FILE, '/Op'],
    ['/A.asmx/.hidden', FILE, '/.hidden'],
    ['/x/%2e%2e/A.asmx', FILE, ''],
    ['http://host.example/A.asmx/Op', FILE, '/Op'],
    ['HTTPS+x.1-y://host:80/A.asmx', FILE, ''],
    ['/A.asmx/x://y/Op', FILE, '/x:/y/Op'],
    ['/A.asmx/two%0Alines', FILE, '/two\nlines'],
  ])('%s is parsed', (text, path, pathInfo) => {
    expect(readRequestPath(text)).toMatchObject({ path, pathInfo });
  });

  it.each([
    '/',
    '',
    '/x/A.asmx',
    '/A.asmxx',
    '/A.asmx.txt',
    '/.asmx',
    '1http://h/A.asmx',
    '/A.asmx/..',
    'A.asmx',
  ])('is not %j', (text) => {
    expect(readRequestPath(text)).toBeUndefined();
  });

  it.each(['<', '>', '*', '%25', '&', ':', '%5C', '%3F'])('is dangerous if it contains %s', (character) => {
    expect(readRequestPath(`/A.asmx/${character}`)?.isDangerous).toBe(true);
    expect(readRequestPath('/A.asmx/x')?.isDangerous).toBe(false);
  });
});
