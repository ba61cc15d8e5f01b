import { keyForm } from '../../src/store';
import { ClientError, normalisePhone, required, requiredKey } from '../../src/operations/arguments';

describe('a phone number', () => {
  it.each([
    ['+905551112233'],
    ['+90 555 111 22 33'],
    ['+90 (0) 555 111-22-33'],
    ['+90.555.111.22.33'],
    ['  +905551112233 '],
    ['00905551112233'],
  ])('with a country code becomes E.164, as in %p, whatever the default country', (text) => {
    expect(normalisePhone(text, undefined)).toBe('+905551112233');
    expect(normalisePhone(text, 'DE')).toBe('+905551112233');
  });

  it.each([['5551112233'], ['0555 111 22 33'], ['0 (555) 111-22-33'], ['905551112233']])(
    'without a country code, as in %p, is read as one of the default country',
    (text) => {
      expect(normalisePhone(text, 'TR')).toBe('+905551112233');
    },
  );

  it.each([
    ['5551112233', '5551112233'],
    ['0555 111 22 33', '05551112233'],
    ['112', '112'],
    ['123456789012345', '123456789012345'],
  ])('without a country code, as in %p, keeps its digits if there is no default country', (text, digits) => {
    expect(normalisePhone(text, undefined)).toBe(digits);
  });

  it.each([
    ['letters', 'call me'],
    ['letters that stand for digits', '+1800FLOWERS'],
    ['two digits', '12'],
    ['sixteen digits', '1234567890123456'],
    ['200 digits', '5'.repeat(200)],
    ['200 digits with a country code', `+90${'5'.repeat(200)}`],
    ['a line end inside', '+90555\r\n1112233'],
    ['a line end after it', '+905551112233\n'],
    ['two numbers', '+905551112233,+905551112244'],
    ['two plus signs', '++905551112233'],
    ['an extension', '+905551112233;ext=5'],
    ['a country code alone', '+90'],
    ['an unknown country code', '+9991112233'],
    ['blanks', '   '],
    ['separators', '()--'],
  ])('is invalid with %s', (_what, text) => {
    expect(() => normalisePhone(text, undefined)).toThrow(
      new ClientError('Parameter phone is not a valid phone number.'),
    );
    expect(() => normalisePhone(text, 'TR')).toThrow(ClientError);
  });

  it('is invalid if the default country cannot have it', () => {
    expect(() => normalisePhone('112', 'TR')).toThrow(ClientError);
  });
});

describe('a required argument', () => {
  it.each([['x'], [' '], ['x'.repeat(8)], ["'; DROP TABLE students --"], ['%s${x}\r\n'], ['👩‍👩‍👧é\0']])(
    'is accepted unchanged: %p',
    (id) => {
      expect(required({ id }, 'id', 64)).toBe(id);
    },
  );

  it.each([
    ['absent', null, 'Missing parameter: id.'],
    ['empty', '', 'Parameter id is empty.'],
    ['too long', 'x'.repeat(9), 'Parameter id is longer than 8 characters.'],
  ])('that is %s is rejected with a text that names it', (_what, id, text) => {
    expect(() => required({ id }, 'id', 8)).toThrow(new ClientError(text));
  });
});

describe('an id', () => {
  it('is normalized to the form in which ids are stored', () => {
    expect(requiredKey({ id: ' S1\u200b' }, 'id', keyForm())).toBe('S1');
  });

  it.each([[''], [' '], ['\u200b']])('is rejected if nothing of %j is left', (id) => {
    expect(() => requiredKey({ id }, 'id', keyForm())).toThrow(new ClientError('Parameter id is empty.'));
  });
});
