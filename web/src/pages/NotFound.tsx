import { Link } from "@tanstack/react-router";
import { useTitle } from "../app/title";

export function NotFound() {
  useTitle("Page not found");
  return (
    <div className="nothing">
      <h1>There is no page at this address.</h1>
      <Link to="/campaigns" className="link">
        All campaigns
      </Link>
    </div>
  );
}
