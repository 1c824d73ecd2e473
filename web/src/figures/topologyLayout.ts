/** Where the nodes of a network are drawn: rows by distance from the hosts, neighbours close to each other. */
import { spreadLabels } from "./scales";

export interface TopologyNode {
  name: string;
  tier: string;
}

export interface TopologyEnds {
  from: string;
  to: string;
}

export interface PlacedNode extends TopologyNode {
  x: number;
  y: number;
  row: number;
  /** Hosts that it stands for; 1 for a node of its own. */
  count: number;
}

/** A group of nodes that only the top row connects to the others, such as a pod. */
export interface NodeGroup {
  label: string;
  x1: number;
  x2: number;
  y1: number;
  y2: number;
}

export interface TopologyLayout {
  nodes: Map<string, PlacedNode>;
  /** From the hosts (0) up. */
  rows: { y: number; tiers: string[]; gap: number }[];
  groups: NodeGroup[];
  /** The mark that stands for a host. */
  drawnAs: Map<string, string>;
}

export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Hosts closer than this are drawn as one mark for each switch. */
const LEAST_GAP = 7;

export function layoutTopology(
  nodes: readonly TopologyNode[],
  links: readonly TopologyEnds[],
  frame: Frame,
): TopologyLayout {
  const neighbours = neighboursOf(nodes, links);
  const level = levelsOf(nodes, neighbours);
  const hosts = nodes.filter(({ name }) => level.get(name) === 0);
  const bundled = hosts.length > (frame.right - frame.left) / LEAST_GAP;
  const drawnAs = new Map(
    hosts.map(({ name }) => [name, bundled ? `hosts of ${neighbours.get(name)?.[0] ?? "none"}` : name]),
  );
  const standsFor = (name: string) => drawnAs.get(name) ?? name;
  const counts = new Map<string, number>();
  for (const { name } of nodes) counts.set(standsFor(name), (counts.get(standsFor(name)) ?? 0) + 1);
  const byLevel: TopologyNode[][] = [];
  for (const node of nodes) {
    const row = level.get(node.name) ?? 0;
    byLevel[row] ??= [];
    const name = standsFor(node.name);
    if (!byLevel[row].some((other) => other.name === name)) byLevel[row].push({ name, tier: node.tier });
  }
  const adjacent = neighboursOf(
    byLevel.flat(),
    links.map(({ from, to }) => ({ from: standsFor(from), to: standsFor(to) })),
  );
  const order = orderRows(byLevel, adjacent);
  const placed = new Map<string, PlacedNode>();
  const last = order.length - 1;
  const rowY = (row: number) => (last === 0 ? frame.bottom : frame.bottom - ((frame.bottom - frame.top) * row) / last);
  const rows = order.map((row, index) => {
    const y = rowY(index);
    const xs = index === 0 ? hostPositions(row, adjacent, frame) : abovePositions(row, adjacent, placed, index, frame);
    row.forEach((node, i) => {
      placed.set(node.name, { ...node, x: xs[i] ?? frame.left, y, row: index, count: counts.get(node.name) ?? 1 });
    });
    return { y, tiers: [...new Set(row.map(({ tier }) => tier))], gap: leastGap(xs, frame) };
  });
  return { nodes: placed, rows, groups: groupsOf(order, adjacent, placed), drawnAs };
}

function neighboursOf(nodes: readonly TopologyNode[], links: readonly TopologyEnds[]): Map<string, string[]> {
  const sets = new Map<string, Set<string>>(nodes.map(({ name }) => [name, new Set()]));
  for (const { from, to } of links) {
    sets.get(from)?.add(to);
    sets.get(to)?.add(from);
  }
  return new Map([...sets].map(([name, set]) => [name, [...set]]));
}

/** Links to the nearest host; nodes of the first tier are hosts. */
function levelsOf(nodes: readonly TopologyNode[], neighbours: Map<string, string[]>): Map<string, number> {
  const level = new Map(nodes.filter(({ tier }) => tier === nodes[0]?.tier).map(({ name }) => [name, 0]));
  const queue = [...level.keys()];
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    for (const next of neighbours.get(name) ?? []) {
      if (level.has(next)) continue;
      level.set(next, (level.get(name) ?? 0) + 1);
      queue.push(next);
    }
  }
  const top = Math.max(0, ...level.values());
  for (const { name } of nodes) if (!level.has(name)) level.set(name, top);
  return level;
}

/** Order each row by the mean place of its neighbours in the row below, then the rows below by those above. */
function orderRows(rows: readonly TopologyNode[][], adjacent: Map<string, string[]>): TopologyNode[][] {
  const order = rows.map((row) => [...(row ?? [])]);
  const sortBy = (index: number, other: number) => {
    const places = new Map(
      order[other]?.map(({ name }, i) => [name, i / Math.max(1, (order[other]?.length ?? 1) - 1)]),
    );
    const mean = (name: string, otherwise: number) => {
      const known = (adjacent.get(name) ?? []).flatMap((neighbour) => places.get(neighbour) ?? []);
      return known.length > 0 ? known.reduce((sum, place) => sum + place, 0) / known.length : otherwise;
    };
    const row = order[index] ?? [];
    const keys = new Map(row.map(({ name }, i) => [name, mean(name, i / row.length)]));
    order[index] = [...row].sort((a, b) => (keys.get(a.name) ?? 0) - (keys.get(b.name) ?? 0));
  };
  for (let row = 1; row < order.length; row += 1) sortBy(row, row - 1);
  for (let row = order.length - 2; row >= 0; row -= 1) sortBy(row, row + 1);
  return order;
}

/** Evenly, with a little more room between hosts of different switches. */
function hostPositions(row: readonly TopologyNode[], adjacent: Map<string, string[]>, frame: Frame): number[] {
  const parent = ({ name }: TopologyNode) => (adjacent.get(name) ?? [])[0];
  let at = 0.5;
  const units = row.map((node, i) => {
    const before = row[i - 1];
    if (before) at += parent(before) === parent(node) ? 1 : 1.6;
    return at;
  });
  return units.map((unit) => frame.left + ((frame.right - frame.left) * unit) / (at + 0.5));
}

/** Above the middle of what a node reaches in the row below, at least a part of the width apart. */
function abovePositions(
  row: readonly TopologyNode[],
  adjacent: Map<string, string[]>,
  placed: Map<string, PlacedNode>,
  index: number,
  frame: Frame,
): number[] {
  const middle = (frame.left + frame.right) / 2;
  const wanted = row.map(({ name }) => {
    const below = (adjacent.get(name) ?? []).flatMap((neighbour) => placed.get(neighbour) ?? []);
    const reached = below.filter((node) => node.row === index - 1);
    return reached.length > 0 ? reached.reduce((sum, { x }) => sum + x, 0) / reached.length : middle;
  });
  const room = (frame.right - frame.left) / row.length;
  return spreadLabels(wanted, room * 0.92, frame.left + room / 2, frame.right - room / 2);
}

function leastGap(xs: readonly number[], frame: Frame): number {
  const sorted = [...xs].sort((a, b) => a - b);
  return Math.min(frame.right - frame.left, ...sorted.slice(1).map((x, i) => x - (sorted[i] ?? 0)));
}

/** Connected parts of the network without its top row, if each has switches. */
function groupsOf(
  order: readonly TopologyNode[][],
  adjacent: Map<string, string[]>,
  placed: Map<string, PlacedNode>,
): NodeGroup[] {
  if (order.length < 3) return [];
  const inside = new Set(order.slice(0, -1).flatMap((row) => row.map(({ name }) => name)));
  const seen = new Set<string>();
  const parts: PlacedNode[][] = [];
  for (const start of inside) {
    if (seen.has(start)) continue;
    seen.add(start);
    const part: string[] = [start];
    for (const name of part) {
      for (const next of adjacent.get(name) ?? []) {
        if (!inside.has(next) || seen.has(next)) continue;
        seen.add(next);
        part.push(next);
      }
    }
    parts.push(part.flatMap((name) => placed.get(name) ?? []));
  }
  if (parts.length < 2 || parts.some((part) => part.length < 3)) return [];
  return parts.map((part) => {
    const [xs, ys] = [part.map(({ x }) => x), part.map(({ y }) => y)];
    return {
      label: commonPrefix(part.filter(({ row }) => row > 0).map(({ name }) => name)),
      x1: Math.min(...xs),
      x2: Math.max(...xs),
      y1: Math.min(...ys),
      y2: Math.max(...ys),
    };
  });
}

/** `pod0` of `pod0.edge0` and `pod0.edge1`; empty without a common first part. */
function commonPrefix(names: readonly string[]): string {
  const first = names[0]?.split(".")[0] ?? "";
  return names.length > 1 && names.every((name) => name.startsWith(`${first}.`)) ? first : "";
}
