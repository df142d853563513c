// An element in its tensor: the plane of the two longest dimensions that it is in, and where.

const SVG = 'http://www.w3.org/2000/svg';
const SIDE = 320;
const MOST_CELL = 32; // pixels
const MOST_CELLS = 32; // on a side that is drawn cell by cell

const element = (name, attributes, ...children) => {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};

/** The index of row-major element number `number`. */
export function indexOf(shape, number) {
  const index = [];
  for (let axis = shape.length - 1; axis >= 0; --axis) {
    index[axis] = number % shape[axis];
    number = Math.floor(number / shape[axis]);
  }
  return index;
}

/** The two axes that are drawn, rows first: the longest ones. */
function planeOf(shape) {
  const longest = shape.map((_, axis) => axis).sort((a, b) => shape[b] - shape[a] || b - a);
  const [columns, rows] = [longest[0], longest[1]].sort((a, b) => b - a);
  return rows === undefined ? { columns } : { rows, columns };
}

/** A drawing of element `number` of a tensor, and in words where it is. */
export function pictureOf({ shape, element: number, value, claimed, right }) {
  const index = indexOf(shape, number);
  const { rows, columns } = planeOf(shape);
  const [height, width] = [rows === undefined ? 1 : shape[rows], columns === undefined ? 1 : shape[columns]];
  const cell = Math.min(SIDE / Math.max(height, width), MOST_CELL);
  const fixed = index.map((at, axis) => (axis === rows || axis === columns ? ':' : at)).join(', ');
  const words = `${value}, shape [${shape.join(', ')}]: element [${index.join(', ')}] is claimed to be ${claimed}, and is ${right}`;

  const at = { x: (columns === undefined ? 0 : index[columns]) * cell, y: (rows === undefined ? 0 : index[rows]) * cell };
  const drawing = element(
    'svg',
    { viewBox: `-2 -2 ${width * cell + 4} ${height * cell + 4}`, width: width * cell + 4, role: 'img', 'aria-label': words },
    element('rect', { width: width * cell, height: height * cell, fill: 'var(--cell)', stroke: 'var(--line)' }),
  );
  if (height <= MOST_CELLS && width <= MOST_CELLS) drawing.append(element('path', { d: gridOf(height, width, cell), stroke: 'var(--line)' }));
  // The element itself, and lines through it, which are seen where it is smaller than a pixel.
  const center = { x: at.x + cell / 2, y: at.y + cell / 2 };
  const cross = `M0 ${center.y}H${width * cell}M${center.x} 0V${height * cell}`;
  drawing.append(
    element('path', { d: cross, stroke: 'var(--mark)', 'stroke-width': 1, 'stroke-dasharray': '4 3', fill: 'none' }),
    element('rect', {
      x: center.x - Math.max(cell, 5) / 2,
      y: center.y - Math.max(cell, 5) / 2,
      width: Math.max(cell, 5),
      height: Math.max(cell, 5),
      fill: 'var(--mark)',
    }),
  );
  return { drawing, words, plane: `[${fixed}]` };
}

function gridOf(height, width, cell) {
  let path = '';
  for (let row = 1; row < height; ++row) path += `M0 ${row * cell}H${width * cell}`;
  for (let column = 1; column < width; ++column) path += `M${column * cell} 0V${height * cell}`;
  return path;
}
