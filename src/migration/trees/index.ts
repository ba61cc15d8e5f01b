export { Forest, type XmlAttribute, type XmlNode, XSI } from './forest';
export { readTree, TREE_BOUNDS } from './read-tree';
