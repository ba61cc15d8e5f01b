import { join } from 'node:path';

import { languageChoice, languageFor, LANGUAGES } from '../../../src/admin/texts/words';
import { useFolder } from '../../harness/use-folder';
import { useConsole } from '../console/use-console';
import { writeUsers } from '../login/users';

describe.each(LANGUAGES)('a reader of $name', ({ tag, name }) => {
  const others = LANGUAGES.filter((each) => each.tag !== tag);

  it('gets pages in the language that the browser prefers, or that was chosen', () => {
    expect(languageFor({ 'accept-language': `${tag}-XX,${tag};q=0.9,de;q=0.8` })).toBe(tag);
    for (const other of others)
      expect(languageFor({ 'accept-language': other.tag, cookie: `a=b; console_language=${tag}` })).toBe(tag);
  });

  it('can choose each other language, if there are any', () => {
    const { text } = languageChoice(tag, '/messages?state=failed');
    const links = others.map(
      (other) =>
        `<a href="/language?to=${other.tag}&amp;back=%2Fmessages%3Fstate%3Dfailed" lang="${other.tag}" hreflang="${other.tag}" rel="nofollow">${other.name}</a>`,
    );
    expect(text).toBe(links.length === 0 ? '' : `<footer class="languages">${links.join('')}</footer>\n`);
    expect(text).not.toContain(name);
  });
});

it.each([{}, { 'accept-language': 'de, *;q=0.1' }, { cookie: 'console_language=xx' }])(
  'the console is in English for %j',
  (headers) => {
    expect(languageFor(headers)).toBe('en');
  },
);

describe('the choice of a language', () => {
  const users = join(useFolder(), 'users.json');
  writeUsers(users);
  const console = useConsole('sqlite', { ADMIN_USERS_FILE: users });

  it('returns only to this server', async () => {
    const tag = LANGUAGES.at(-1)?.tag ?? '';
    const choose = async (to: string, back: string) => {
      const address = `${console.origin}/language?to=${to}&back=${encodeURIComponent(back)}`;
      const { status, headers } = await fetch(address, { redirect: 'manual' });
      return [status, headers.get('location'), headers.get('set-cookie')];
    };
    const cookie = `console_language=${tag}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`;
    expect(await choose(tag, '/messages?state=failed')).toEqual([303, '/messages?state=failed', cookie]);
    expect(await choose(tag, '/login?to=%2Fusage')).toEqual([303, '/login?to=%2Fusage', cookie]);
    expect(await choose(tag, '//elsewhere.example/')).toEqual([303, '/', cookie]);
    expect(await choose('xx', '/')).toEqual([303, '/', null]);
  });
});
