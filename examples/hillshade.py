"""Shaded relief of real terrain, as one array expression. See hillshade.c for the same in C.

    python examples/hillshade.py [OUT.png]

The elevation model is the one that matplotlib brings along as sample data.
"""

import math
import sys

import clary as np


def hillshade(z, dx, dy, azimuth=315.0, altitude=45.0):
    """Light on the terrain z, 0 to 1, without z's border. Row 0 is the north edge; dx and dy are the sizes
    of a cell in the unit of z. Works on arrays of any library that follows NumPy."""
    xp = z.__array_namespace__()
    azimuth, altitude = math.radians(azimuth), math.radians(altitude)
    east = (z[1:-1, 2:] - z[1:-1, :-2]) / (2 * dx)
    north = (z[:-2, 1:-1] - z[2:, 1:-1]) / (2 * dy)
    slope = xp.atan(xp.hypot(east, north))
    aspect = xp.atan2(-east, -north)
    light = math.sin(altitude) * xp.cos(slope) + math.cos(altitude) * xp.sin(slope) * xp.cos(azimuth - aspect)
    return xp.clip(light, 0, 1)


def jacksboro():
    """matplotlib's sample terrain: elevations in metres, and a cell's width and height in metres."""
    from matplotlib.cbook import get_sample_data

    dem = get_sample_data("jacksboro_fault_dem.npz")
    metres = 111320.0  # a degree of latitude
    latitude = math.radians((float(dem["ymin"]) + float(dem["ymax"])) / 2)
    return dem["elevation"], float(dem["dx"]) * metres * math.cos(latitude), float(dem["dy"]) * metres


def save_png(path, shade):
    from matplotlib.image import imsave

    imsave(path, np.asnumpy(shade), cmap="gray", vmin=0, vmax=1)


if __name__ == "__main__":
    elevation, dx, dy = jacksboro()
    z = np.asarray(elevation.astype("float32"))
    np.reset_counters()
    shade = hillshade(z, dx, dy)
    np.eval(shade)
    np.synchronize()
    counters = np.counters()
    print(f"{z.shape[0]} x {z.shape[1]} elevations: {counters.launches} kernel(s), "
          f"{counters.bytes_kernels / 1e6:.2f} MB read and written")
    path = sys.argv[1] if len(sys.argv) > 1 else "hillshade.png"
    save_png(path, shade)
    print("wrote", path)
