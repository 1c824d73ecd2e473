/** Pointing at a time, zooming by dragging, and both by keyboard. */
import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { clamp, px } from "./scales";

type Range = readonly [number, number];

export interface TimePickerProps {
  left: number;
  right: number;
  bottom: number;
  range: Range;
  crosshair: number | null;
  onHover?: ((time: number | null) => void) | undefined;
  onZoom?: ((range: Range | null) => void) | undefined;
}

/** Dragging over less than this share of the range is a click. */
const LEAST_DRAG = 0.01;

/** What a key does to crosshair and range: arrows move, + and - zoom around the crosshair, Escape shows all. */
export function timeAfterKey(
  key: string,
  [from, to]: Range,
  crosshair: number | null,
): { crosshair: number } | { zoom: Range | null } | null {
  const at = crosshair ?? (from + to) / 2;
  const step = (to - from) / 50;
  if (key === "ArrowRight" || key === "ArrowLeft")
    return { crosshair: clamp(at + (key === "ArrowRight" ? step : -step), [from, to]) };
  if (key === "+" || key === "=") return { zoom: [at - (at - from) / 2, at + (to - at) / 2] };
  if (key === "-" || key === "Escape") return { zoom: null };
  return null;
}

export function TimePicker({ left, right, bottom, range, crosshair, onHover, onZoom }: TimePickerProps) {
  const [drag, setDrag] = useState<Range | null>(null);
  const [from, to] = range;
  const timeAt = (event: PointerEvent<SVGRectElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return clamp(from + ((event.clientX - box.left) / box.width) * (to - from), range);
  };
  const onPointerDown = (event: PointerEvent<SVGRectElement>) => {
    if (!onZoom || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const time = timeAt(event);
    setDrag([time, time]);
  };
  const onPointerMove = (event: PointerEvent<SVGRectElement>) => {
    const time = timeAt(event);
    onHover?.(time);
    if (drag) setDrag([drag[0], time]);
  };
  const onPointerUp = () => {
    if (!drag) return;
    setDrag(null);
    const [first, last] = drag[0] < drag[1] ? drag : [drag[1], drag[0]];
    if (last - first > LEAST_DRAG * (to - from)) onZoom?.([first, last]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const action = timeAfterKey(event.key, range, crosshair);
    if (!action) return;
    event.preventDefault();
    if ("crosshair" in action) onHover?.(action.crosshair);
    else onZoom?.(action.zoom);
  };
  const at = (time: number) => left + ((time - from) / (to - from)) * (right - left);
  return (
    <>
      {drag && drag[0] !== drag[1] && (
        <rect
          className="selection"
          x={px(at(Math.min(...drag)))}
          y={24}
          width={px(Math.abs(at(drag[1]) - at(drag[0])))}
          height={px(bottom - 24)}
        />
      )}
      <rect
        className="hit time"
        role="slider"
        tabIndex={0}
        aria-label="simulated time"
        aria-valuemin={from}
        aria-valuemax={to}
        aria-valuenow={crosshair ?? from}
        aria-valuetext={crosshair === null ? "none" : `${crosshair.toFixed(2)} s`}
        x={px(left)}
        y={24}
        width={px(right - left)}
        height={px(bottom - 24)}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => setDrag(null)}
        onPointerLeave={() => onHover?.(null)}
        onDoubleClick={() => onZoom?.(null)}
        onKeyDown={onKeyDown}
      />
    </>
  );
}
