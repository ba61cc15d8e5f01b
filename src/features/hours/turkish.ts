/** Turkish texts by their English ones. Names in braces stand for values. */
export const TURKISH = {
  'Quiet hours': 'Sessiz saatler',
  'not now': 'şu an değil',
  'until {time}': 'bitiş: {time}',
};
