/** A network: links coloured by utilization, one lane a direction, and switches sized by the packets they dropped. */
import { useMemo } from "react";
import { Figure, Text } from "./marks";
import { fixed, formatCompact } from "./numbers";
import { px, textWidth } from "./scales";
import { layoutTopology, type PlacedNode, type TopologyLayout, type TopologyNode } from "./topologyLayout";
import { NARROW } from "./types";

export interface TopologyLink {
  from: string;
  to: string;
  /** Names of the ports at `from` and at `to`, null if unknown. */
  up: string | null;
  down: string | null;
}

export interface TopologyMapProps {
  width: number;
  nodes: readonly TopologyNode[];
  links: readonly TopologyLink[];
  /** Percent of a link's rate, by port; a port without traffic has none. */
  utilization: ReadonlyMap<string, number>;
  /** Packets, by node. */
  drops: ReadonlyMap<string, number>;
  /** Ports of the flow that is pointed at, and the hosts at its ends. */
  path?: ReadonlySet<string> | undefined;
  ends?: readonly string[] | undefined;
  label: string;
}

/** Upper ends of the steps of the colour scale, in percent. */
export const UTILIZATION_STEPS = [2, 20, 40, 60, 80, 95] as const;
/** Beyond this many lanes those that are idle are left out. */
export const MOST_LANES = 3000;

export const utilizationStep = (percent: number): number => {
  const step = UTILIZATION_STEPS.findIndex((end) => percent < end);
  return step < 0 ? UTILIZATION_STEPS.length : step;
};

export interface Lane {
  key: string;
  from: string;
  to: string;
  ports: string[];
  /** The busiest of its ports. */
  percent: number;
}

/** One lane a direction; links of hosts that share a mark share lanes. */
export function lanesOf(
  links: readonly TopologyLink[],
  utilization: ReadonlyMap<string, number>,
  drawnAs: ReadonlyMap<string, string>,
): Lane[] {
  const lanes = new Map<string, Lane>();
  for (const link of links) {
    const [from, to] = [drawnAs.get(link.from) ?? link.from, drawnAs.get(link.to) ?? link.to];
    for (const [a, b, port] of [
      [from, to, link.up],
      [to, from, link.down],
    ] as const) {
      const key = `${a} ${b}`;
      const lane = lanes.get(key) ?? { key, from: a, to: b, ports: [], percent: 0 };
      lanes.set(key, lane);
      if (port === null) continue;
      lane.ports.push(port);
      lane.percent = Math.max(lane.percent, utilization.get(port) ?? 0);
    }
  }
  return [...lanes.values()].sort((a, b) => a.percent - b.percent);
}

export function TopologyMap({ width, nodes, links, utilization, drops, path, ends, label }: TopologyMapProps) {
  const narrow = width < NARROW;
  const left = narrow ? 12 : 88;
  const layout = useMemo(
    () =>
      layoutTopology(nodes, links, { left, right: width - (narrow ? 12 : 24), top: 44, bottom: narrow ? 380 : 440 }),
    [nodes, links, width, narrow, left],
  );
  const height = (layout.rows.length < 3 ? 0.72 : 1) * (narrow ? 430 : 500);
  const squeeze = layout.rows.length < 3 ? 0.64 : 1;
  const at = (node: PlacedNode): PlacedNode => ({ ...node, y: 44 + (node.y - 44) * squeeze });
  const lanes = useMemo(() => lanesOf(links, utilization, layout.drawnAs), [links, utilization, layout]);
  const onPath = (lane: Lane) => path !== undefined && lane.ports.some((port) => path.has(port));
  const shown = lanes.length > MOST_LANES ? lanes.filter((lane) => lane.percent >= 2 || onPath(lane)) : lanes;
  const most = Math.max(1, ...drops.values());
  const offset = Math.min(narrow ? 1.6 : 2.4, Math.max(0.6, Math.min(...layout.rows.map(({ gap }) => gap)) / 8));
  const marked = new Set((ends ?? []).map((name) => layout.drawnAs.get(name) ?? name));
  return (
    <Figure width={width} height={height} label={label} className="topology">
      <Groups layout={layout} narrow={narrow} />
      {shown.map((lane) => {
        const [from, to] = [layout.nodes.get(lane.from), layout.nodes.get(lane.to)];
        if (!from || !to) return null;
        const on = onPath(lane);
        const step = utilizationStep(lane.percent);
        const lead = on ? 4.4 : (narrow ? 0.9 : 1.2) + step * (narrow ? 0.36 : 0.54);
        return (
          <path
            key={lane.key}
            className={`lane${path ? (on ? " on" : " off") : ""}`}
            d={lanePath(at(from), at(to), offset)}
            style={{ stroke: on ? undefined : `var(--s${step})`, strokeWidth: lead }}
          >
            <title>{laneTitle(lane)}</title>
          </path>
        );
      })}
      {[...layout.nodes.values()].map((node) => (
        <Node
          key={node.name}
          node={at(node)}
          gap={layout.rows[node.row]?.gap ?? 0}
          drops={drops.get(node.name) ?? 0}
          most={most}
          narrow={narrow}
          on={marked.has(node.name)}
        />
      ))}
      {layout.rows.map((row, index) => (
        <Text
          key={row.y}
          x={0}
          y={44 + (row.y - 44) * squeeze + (narrow ? -20 : 4)}
          className={narrow ? "note halo" : "note"}
        >
          {index === 0 ? `${row.tiers.join(", ")}s` : row.tiers.join(", ")}
        </Text>
      ))}
    </Figure>
  );
}

const laneTitle = ({ from, to, ports, percent }: Lane) =>
  `${from} to ${to}: ${ports.length === 0 ? "no port record" : `${fixed(percent, percent < 10 ? 1 : 0)} % busy${ports.length > 1 ? ` at most, ${ports.length} links` : `, ${ports[0]}`}`}`;

/** Beside the straight line between two nodes, to the right of its direction; curved within a row that has others between. */
function lanePath(from: PlacedNode, to: PlacedNode, offset: number): string {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const [ox, oy] = [(-dy / length) * offset, (dx / length) * offset];
  return `M${px(from.x + ox)},${px(from.y + oy)}L${px(to.x + ox)},${px(to.y + oy)}`;
}

function Node({
  node,
  gap,
  drops,
  most,
  narrow,
  on,
}: {
  node: PlacedNode;
  gap: number;
  drops: number;
  most: number;
  narrow: boolean;
  on: boolean;
}) {
  const room = gap * 0.36;
  const plain = Math.max(1.2, Math.min(node.row === 0 ? (narrow ? 4 : 5.5) : 6, room));
  const r =
    drops > 0 ? Math.max(plain, Math.min(plain + Math.sqrt(drops / most) * (narrow ? 10 : 17), gap * 0.48)) : plain;
  const number = formatCompact(drops);
  const inside = textWidth(number, 11) < 2 * r - 3;
  const name = node.row === 0 && node.count === 1 ? node.name.replace(/^\D+/, "") || node.name : node.name;
  const named = textWidth(name, 11.5) + 4 < gap;
  return (
    <g className={`node${drops > 0 ? " lossy" : ""}${on ? " on" : ""}`}>
      <circle cx={px(node.x)} cy={px(node.y)} r={px(r)} />
      <title>{`${node.name}${node.count > 1 ? `: ${node.count} hosts` : ""}${drops > 0 ? `, ${fixed(drops, 0)} packets dropped` : ""}`}</title>
      {drops > 0 && (inside || gap > 26) && (
        <Text
          x={node.x}
          y={inside ? node.y + 4 : node.y - r - 5}
          className={inside ? "count" : "count halo"}
          anchor="middle"
        >
          {number}
        </Text>
      )}
      {node.row === 0 && node.count > 1 && gap > 22 && (
        <Text x={node.x} y={node.y + 20} className="tick" anchor="middle">
          {`× ${node.count}`}
        </Text>
      )}
      {node.row === 0 && node.count === 1 && named && (
        <Text x={node.x} y={node.y + 21} className="tick" anchor="middle">
          {name}
        </Text>
      )}
    </g>
  );
}

function Groups({ layout, narrow }: { layout: TopologyLayout; narrow: boolean }) {
  const gap = layout.rows[0]?.gap ?? 20;
  const pad = Math.min(narrow ? 8 : 20, gap * 0.55);
  return layout.groups.map((group) => (
    <g key={`${group.x1} ${group.label}`}>
      <rect
        className="pod"
        x={px(group.x1 - pad)}
        y={px(group.y1 - 28)}
        width={px(group.x2 - group.x1 + 2 * pad)}
        height={px(group.y2 - group.y1 + 58)}
        rx={10}
      />
      {textWidth(group.label, 11) < group.x2 - group.x1 + pad && (
        <Text x={(group.x1 + group.x2) / 2} y={group.y2 + 46} className="note" anchor="middle">
          {group.label.replace(/(\d+)$/, " $1")}
        </Text>
      )}
    </g>
  ));
}
