import { maskPhone, maskToken } from '../../src/support/masks';

describe('what the log may hold of personal data', () => {
  it.each([
    ['+905551112233', '+90...33'],
    ['5551112233', '...33'],
    ['112', '...12'],
  ])('of the number %s is %s', (phone, shown) => {
    expect(maskPhone(phone)).toBe(shown);
  });

  it.each([
    ['fGk3b0x9Q2a:APA91b', 'fGk3b0...'],
    ['TOKEN-1', 'TOK...'],
    ['', '...'],
  ])('of the token %p is %p', (token, shown) => {
    expect(maskToken(token)).toBe(shown);
  });
});
