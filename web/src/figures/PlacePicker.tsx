/** Choosing one of the places of an x axis by pointer, touch or arrow keys. */
import type { KeyboardEvent, SyntheticEvent } from "react";
import { px, type Scale } from "./scales";

export interface PlacePickerProps {
  places: readonly number[];
  scale: Scale;
  x: { title: string; unit?: string | undefined };
  left: number;
  right: number;
  top: number;
  bottom: number;
  picked: number | undefined;
  onPick: (x: number) => void;
}

/** The place that a key leads to from the picked one; null if the key does nothing. */
export function placeAfterKey(key: string, places: readonly number[], picked: number | undefined): number | null {
  const index = picked === undefined ? -1 : places.indexOf(picked);
  const target = {
    ArrowRight: index + 1,
    ArrowUp: index + 1,
    ArrowLeft: Math.max(0, index - 1),
    ArrowDown: Math.max(0, index - 1),
    Home: 0,
    End: places.length - 1,
  }[key];
  return target === undefined ? null : (places[Math.min(target, places.length - 1)] ?? null);
}

export function PlacePicker({ places, scale, x, left, right, top, bottom, picked, onPick }: PlacePickerProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    const place = placeAfterKey(event.key, places, picked);
    if (place === null) return;
    event.preventDefault();
    onPick(place);
  };
  const pickTarget = ({ target }: SyntheticEvent) => {
    const place = Number((target as SVGElement).dataset.place ?? Number.NaN);
    if (Number.isFinite(place) && place !== picked) onPick(place);
  };
  const middle = (i: number) => (scale(places[i] ?? 0) + scale(places[i + 1] ?? 0)) / 2;
  return (
    <g
      role="slider"
      className="picker"
      tabIndex={0}
      aria-label={x.title}
      aria-valuemin={places[0] ?? 0}
      aria-valuemax={places.at(-1) ?? 0}
      aria-valuenow={picked ?? places[0] ?? 0}
      aria-valuetext={picked === undefined ? "none" : `${picked}${x.unit ? ` ${x.unit}` : ""}`}
      onKeyDown={onKeyDown}
      onPointerOver={pickTarget}
      onClick={pickTarget}
    >
      <rect className="focus" x={px(left)} y={px(top - 4)} width={px(right - left)} height={px(bottom - top + 4)} />
      {places.map((place, i) => {
        const from = i === 0 ? left : middle(i - 1);
        const to = i === places.length - 1 ? right : middle(i);
        return (
          <rect
            key={place}
            className="hit"
            x={px(from)}
            y={px(top)}
            width={px(to - from)}
            height={px(bottom - top)}
            data-place={place}
          />
        );
      })}
    </g>
  );
}
