import { maskedForms, maskPhone, maskToken } from '../../src/support/masks';

describe('personal data in the log', () => {
  it.each([
    ['+905551112233', '+90...33'],
    ['5551112233', '...33'],
    ['112', '...12'],
  ])('shows the number %s as %s', (phone, shown) => {
    expect(maskPhone(phone)).toBe(shown);
  });

  it('may be that of a number without a country in any country', () => {
    const forms = maskedForms('5551112233');
    expect([forms[0], forms[1], forms.at(-1)]).toEqual(['...33', '+10...33', '+99...33']);
    expect(forms).toHaveLength(91);
    expect(maskedForms('+905551112233')).toEqual(['+90...33', '...33']);
  });

  it.each([
    ['fGk3b0x9Q2a:APA91b', 'fGk3b0...'],
    ['TOKEN-1', 'TOK...'],
    ['', '...'],
  ])('shows the token %p as %p', (token, shown) => {
    expect(maskToken(token)).toBe(shown);
  });
});
