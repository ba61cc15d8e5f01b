import { ClientError } from '../../src/operations/client-error';
import { required } from '../../src/operations/required';

describe('a required argument', () => {
  it.each([['x'], [' '], ['x'.repeat(8)], ["'; DROP TABLE students --"], ['%s${x}\r\n'], ['👩‍👩‍👧é\0']])(
    'is taken as it stands: %p',
    (id) => {
      expect(required({ id }, 'id', 64)).toBe(id);
    },
  );

  it.each([
    ['absent', null, 'Missing parameter: id.'],
    ['empty', '', 'Parameter id is empty.'],
    ['too long', 'x'.repeat(9), 'Parameter id is longer than 8 characters.'],
  ])('that is %s is refused with a text that names it', (_what, id, text) => {
    expect(() => required({ id }, 'id', 8)).toThrow(new ClientError(text));
  });
});
