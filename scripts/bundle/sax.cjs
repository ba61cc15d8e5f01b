// In the bundle instead of sax, with which node-soap reads descriptions that our own reader has accepted. V8 compiles
// its function for all of XML twice while the service starts, which takes a tenth of the CPU time.
const { SaxesParser } = require('saxes');

exports.parser = () => {
  const parser = new SaxesParser();
  return {
    set onopentag(listener) {
      parser.on('opentag', listener);
    },
    set onclosetag(listener) {
      parser.on('closetag', ({ name }) => listener(name));
    },
    write: (text) => parser.write(text),
  };
};
